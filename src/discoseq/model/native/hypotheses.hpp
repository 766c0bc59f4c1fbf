// Hypotheses, and the memory for what the decoder attends to of their earlier actions.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "machine.hpp"

namespace discoseq {

// Memory for the keys and values of actions: blocks of a few actions of one hypothesis, layer after layer, so that what
// is read together lies together. It is allocated in larger pieces, so that it grows without copying.
class Arena {
  public:
    static constexpr int BLOCK_ACTIONS = 8;

    void start(int width, int layers) {
        const size_t needed = static_cast<size_t>(BLOCK_ACTIONS) * 2 * width * layers;
        if (needed != block_size) pieces.clear();
        block_size = needed;
        row_size = static_cast<size_t>(2) * width;
        used = 0;
    }
    // the first place of a new block; the others follow
    int add_block() {
        if (used == static_cast<int>(pieces.size()) * PIECE_BLOCKS)
            pieces.emplace_back(new float[PIECE_BLOCKS * block_size]);
        return used++ * BLOCK_ACTIONS;
    }
    // keys and values, one after the other
    float* at(int place, int layer) const {
        const int block = place / BLOCK_ACTIONS;
        return pieces[block / PIECE_BLOCKS].get() + (block % PIECE_BLOCKS) * block_size +
               (layer * BLOCK_ACTIONS + place % BLOCK_ACTIONS) * row_size;
    }

  private:
    static constexpr int PIECE_BLOCKS = 64;
    std::vector<std::unique_ptr<float[]>> pieces;
    size_t block_size = 0, row_size = 0;
    int used = 0;
};

// A hypothesis: its state and, for each of its actions, the place of its keys and values. Hypotheses with a common
// beginning have its keys and values in common.
struct Hypothesis {
    State state;
    std::vector<int> path;
    int sentence = 0;
    bool owns_block = false;  // whether the rest of the last block is its own; a copy begins a new one

    void add_place(Arena& arena) {
        const bool has_room = owns_block && (path.back() + 1) % Arena::BLOCK_ACTIONS;
        path.push_back(has_room ? path.back() + 1 : arena.add_block());
        owns_block = true;
    }
};

}  // namespace discoseq
