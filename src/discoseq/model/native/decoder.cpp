// The decoder's step and the machine as one compiled loop: what model/decoder.py, model/beam_cache.py and
// linearizations/ do, for networks on a CPU. model/native_decoder.py calls it; without it the Python code is used.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "machine.hpp"

namespace discoseq {

struct Kernels {
    int panel;
    void (*multiply)(const float*, int, int, const float*, int, int, const float*, bool, float*, int);
    void (*add)(float*, const float*, int);
    void (*add_scaled)(float*, const float*, float, int);
    float (*dot)(const float*, const float*, int);
    void (*add_and_normalise)(float*, const float*, int, int, int, const float*, const float*, float*);
    void (*add_rows)(float*, const float*, int, int, int);
    void (*attend)(const float*, const float* const*, int, int, int, float*, float*);
    void (*attend_with_all_heads)(const float*, const float**, int, int, int, int, float*, int, float*);
    void (*log_softmax)(float*, const unsigned char*, int, float*);
};

#define LANES 4
#define BLOCK 6
namespace any {
#include "kernels.inc"
}
#undef LANES
#undef BLOCK

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define HAS_X86_TARGETS 1
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define LANES 8
#define BLOCK 6
namespace avx2 {
#include "kernels.inc"
}
#undef LANES
#undef BLOCK
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq,fma,prefer-vector-width=512")
#define LANES 16
#define BLOCK 12
namespace avx512 {
#include "kernels.inc"
}
#undef LANES
#undef BLOCK
#pragma GCC pop_options
#endif

static const Kernels& best_kernels() {
#ifdef HAS_X86_TARGETS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        return avx512::KERNELS;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::KERNELS;
#endif
    return any::KERNELS;
}

constexpr int LARGEST_PANEL = 32;

static int padded(int width) { return (width + LARGEST_PANEL - 1) / LARGEST_PANEL * LARGEST_PANEL; }

// A linear map with its matrix as `multiply` reads it; columns are padded with zeros.
struct Linear {
    int inner = 0, columns = 0, panels = 0;
    std::vector<float> packed, bias;

    void pack(const float* weight, const float* given_bias, int in, int out, int panel) {
        inner = in;
        columns = out;
        panels = (out + panel - 1) / panel;
        packed.assign(static_cast<size_t>(panels) * in * panel, 0.0f);
        bias.assign(panels * panel, 0.0f);
        for (int c = 0; c < out; ++c) {
            float* target = packed.data() + static_cast<size_t>(c / panel) * in * panel + c % panel;
            for (int k = 0; k < in; ++k) target[static_cast<size_t>(k) * panel] = weight[static_cast<size_t>(c) * in + k];
            if (given_bias) bias[c] = given_bias[c];
        }
    }
};

struct Norm {
    std::vector<float> scale, shift;
};

struct Layer {
    Linear project, self_out, query, cross_out, inner, outer;
    Norm norms[3];
};

// The settings, in the order in which native_decoder.py lists them.
struct Settings {
    int32_t actions, layers, width, heads, hidden, is_pre_norm, buffer_heads, stack_heads, dedicated_layers;
    int32_t feature_words, label_kinds, pointer_width, near, reach;
    int32_t traversal, children_before_label, unary_limit, has_swap, has_counted_shift, is_enriched, is_weak;
};

// The weights, packed; they do not change, so several searches may share them.
struct Decoder {
    Settings s;
    Machine machine;
    const Kernels& kernels = best_kernels();
    std::vector<float> embedding, label_embedding, frequencies;
    std::vector<int> shift_at;  // the action that shifts the word with so many words before it in the buffer, or none
    std::vector<Layer> layers;
    Norm norm;
    Linear out, pointer_query, pointer_nearness;
    float scale;

    Decoder(const Settings& settings, const int32_t* vocabulary, const float* const* weights) : s(settings) {
        const int32_t* moves = vocabulary;
        const int32_t* distances = moves + s.actions;
        const int32_t* labels = distances + s.actions;
        machine.traversal = s.traversal;
        machine.children_before_label = s.children_before_label;
        machine.unary_limit = s.unary_limit;
        machine.has_swap = s.has_swap;
        machine.has_counted_shift = s.has_counted_shift;
        machine.is_enriched = s.is_enriched;
        machine.is_weak = s.is_weak;
        machine.moves.assign(moves, moves + s.actions);
        machine.distances.assign(distances, distances + s.actions);
        machine.labels.assign(labels, labels + s.actions);
        for (int move = 0; move < MOVES; ++move) machine.begin[move] = machine.end[move] = 0;
        for (int a = s.actions - 1; a >= 0; --a) {
            if (!machine.has(static_cast<Move>(moves[a]))) machine.end[moves[a]] = a + 1;
            machine.begin[moves[a]] = a;
        }
        scale = std::sqrt(static_cast<float>(s.width));
        copy(embedding, *weights++, static_cast<size_t>(s.actions) * s.width);
        copy(frequencies, *weights++, s.width / 2);
        if (s.label_kinds) copy(label_embedding, *weights++, static_cast<size_t>(FEATURE_LABELS) * s.label_kinds * s.width);
        layers.resize(s.layers);
        for (Layer& layer : layers) {
            weights = pack(layer.project, weights, s.width, 3 * s.width);
            weights = pack(layer.self_out, weights, s.width, s.width);
            weights = pack(layer.query, weights, s.width, s.width);
            weights = pack(layer.cross_out, weights, s.width, s.width);
            weights = pack(layer.inner, weights, s.width, s.hidden);
            weights = pack(layer.outer, weights, s.hidden, s.width);
            for (Norm& one : layer.norms) weights = copy_norm(one, weights);
        }
        if (s.is_pre_norm) weights = copy_norm(norm, weights);
        out.pack(*weights++, nullptr, s.width, s.actions, kernels.panel);
        if (s.pointer_width) {
            weights = pack(pointer_query, weights, s.width, s.pointer_width);
            weights = pack(pointer_nearness, weights, s.width, 2 * s.near + 1);
            shift_at.assign(s.reach, -1);
            for (int a = machine.begin[SHIFT]; a < machine.end[SHIFT]; ++a) shift_at[machine.distances[a]] = a;
        }
    }

  private:
    static void copy(std::vector<float>& target, const float* values, size_t count) { target.assign(values, values + count); }
    const float* const* copy_norm(Norm& target, const float* const* weights) const {
        copy(target.scale, weights[0], s.width);
        copy(target.shift, weights[1], s.width);
        return weights + 2;
    }
    const float* const* pack(Linear& target, const float* const* weights, int in, int out_columns) const {
        target.pack(weights[0], weights[1], in, out_columns, kernels.panel);
        return weights + 2;
    }
};

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
        if (used == static_cast<int>(pieces.size()) * PIECE_BLOCKS) pieces.emplace_back(new float[PIECE_BLOCKS * block_size]);
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

class Search {
  public:
    explicit Search(const Decoder& given) : decoder(given), s(given.s) {}

    // Of every sentence, words from `offsets[i]` to `offsets[i + 1]`; `sources` has for every layer (words, 2 x width)
    // keys and values, then the feature words' parts (words, feature words x width) and the pointer's keys, if any.
    void start(int count, const int32_t* given_offsets, const float* const* given_sources) {
        offsets.assign(given_offsets, given_offsets + count + 1);
        sources.assign(given_sources, given_sources + s.layers + 2);
        arena.start(s.width, s.layers);
        if (hypotheses.size() < static_cast<size_t>(count)) hypotheses.resize(count);
        rows.resize(count);
        free.clear();
        for (int i = static_cast<int>(hypotheses.size()) - 1; i >= count; --i) free.push_back(i);
        for (int i = 0; i < count; ++i) {
            rows[i] = i;
            hypotheses[i].state.start(offsets[i + 1] - offsets[i]);
            hypotheses[i].path.clear();
            hypotheses[i].owns_block = false;
            hypotheses[i].sentence = i;
        }
    }

    void is_finished(uint8_t* finished) const {
        for (size_t r = 0; r < rows.size(); ++r) finished[r] = hypotheses[rows[r]].state.is_finished;
    }

    // Keep only these rows, in this order.
    void keep(int count, const int64_t* kept) {
        std::vector<int> chosen(count);
        is_kept.assign(hypotheses.size(), 0);
        for (int i = 0; i < count; ++i) is_kept[chosen[i] = rows[kept[i]]] = 1;
        for (int slot : rows)
            if (!is_kept[slot]) free.push_back(slot);
        rows.swap(chosen);
    }

    // Each new row continues a row by an action. The first continuation takes its place, others get a copy.
    void advance(int count, const int64_t* parents, const int64_t* actions) {
        std::vector<int> chosen(count);
        is_kept.assign(hypotheses.size(), 0);
        std::vector<int> copied;
        for (int i = 0; i < count; ++i) {
            const int slot = rows[parents[i]];
            chosen[i] = slot;
            if (is_kept[slot]) copied.push_back(i);
            is_kept[slot] = 1;
        }
        for (int slot : rows)
            if (!is_kept[slot]) free.push_back(slot);
        for (int i : copied) {
            if (free.empty()) {
                free.push_back(static_cast<int>(hypotheses.size()));
                hypotheses.emplace_back();
            }
            const int slot = free.back();
            free.pop_back();
            hypotheses[slot] = hypotheses[chosen[i]];
            hypotheses[slot].owns_block = false;
            chosen[i] = slot;
        }
        rows.swap(chosen);
        for (int i = 0; i < count; ++i) decoder.machine.apply(hypotheses[rows[i]].state, static_cast<int>(actions[i]));
    }

    // Log-probabilities (rows, actions) of the next action of every row; minus infinity where it is not allowed.
    void score(float* found) {
        const int count = static_cast<int>(rows.size());
        for (int first = 0; first < count; first += MOST_ROWS) {
            const int some = count - first < MOST_ROWS ? count - first : MOST_ROWS;
            score_rows(first, some, found + static_cast<size_t>(first) * s.actions);
        }
    }

  private:
    static constexpr int MOST_ROWS = 192;  // their vectors fit the second-level cache beside a matrix

    const Decoder& decoder;
    const Settings& s;
    std::vector<int> offsets;
    std::vector<const float*> sources;
    std::vector<Hypothesis> hypotheses;  // slots; those that no row uses are free
    std::vector<int> rows, free;
    std::vector<uint8_t> is_kept;
    Arena arena;
    // of the rows that are scored together
    std::vector<float> x, normed, wide, attended, added, scores, queries, nearness, weights, positions;
    std::vector<const float*> keys;
    int room_of_head = 0;
    std::vector<int> in_buffer, on_stack;  // words, row after row
    std::vector<int> buffer_ends, stack_ends;
    std::vector<uint8_t> allowed;

    void multiply(const Linear& map, const std::vector<float>& input, int input_stride, int count, bool is_relu,
                  std::vector<float>& output, int output_stride) {
        decoder.kernels.multiply(input.data(), input_stride, count, map.packed.data(), map.inner, map.panels,
                                 map.bias.data(), is_relu, output.data(), output_stride);
    }

    void score_rows(int first, int count, float* found) {
        const Kernels& k = decoder.kernels;
        const int width = s.width, stride = padded(width), hidden = padded(s.hidden), wide_stride = padded(3 * width);
        x.resize(static_cast<size_t>(count) * stride);
        normed.resize(x.size());
        attended.resize(x.size());
        added.resize(x.size());
        wide.resize(static_cast<size_t>(count) * (hidden > wide_stride ? hidden : wide_stride));
        list_words(first, count);
        for (int r = 0; r < count; ++r) embed(hypotheses[rows[first + r]], x.data() + static_cast<size_t>(r) * stride);
        for (int l = 0; l < s.layers; ++l) {
            const Layer& layer = decoder.layers[l];
            // with pre-norm, the sublayers read the normed sum; with post-norm, the sum is normed after each of them
            const std::vector<float>& input = s.is_pre_norm ? normed : x;
            if (s.is_pre_norm) normalise(layer.norms[0], l ? added.data() : nullptr, count, normed);
            multiply(layer.project, input, stride, count, false, wide, wide_stride);
            for (int r = 0; r < count; ++r) attend_to_actions(l, first, r, wide_stride, stride);
            multiply(layer.self_out, attended, stride, count, false, added, stride);
            normalise(layer.norms[s.is_pre_norm ? 1 : 0], added.data(), count, s.is_pre_norm ? normed : x);
            multiply(layer.query, input, stride, count, false, wide, stride);
            for (int r = 0; r < count; ++r) attend_to_words(l, first, r, stride);
            multiply(layer.cross_out, attended, stride, count, false, added, stride);
            normalise(layer.norms[s.is_pre_norm ? 2 : 1], added.data(), count, s.is_pre_norm ? normed : x);
            multiply(layer.inner, input, stride, count, true, wide, hidden);
            multiply(layer.outer, wide, hidden, count, false, added, stride);
            if (!s.is_pre_norm) normalise(layer.norms[2], added.data(), count, x);
        }
        if (s.is_pre_norm) normalise(decoder.norm, added.data(), count, normed);
        const std::vector<float>& last = s.is_pre_norm ? normed : x;
        const int score_stride = padded(s.actions);
        scores.resize(static_cast<size_t>(count) * score_stride);
        multiply(decoder.out, last, stride, count, false, scores, score_stride);
        if (s.pointer_width) {
            queries.resize(static_cast<size_t>(count) * padded(s.pointer_width));
            nearness.resize(static_cast<size_t>(count) * padded(2 * s.near + 1));
            multiply(decoder.pointer_query, last, stride, count, false, queries, padded(s.pointer_width));
            multiply(decoder.pointer_nearness, last, stride, count, false, nearness, padded(2 * s.near + 1));
            for (int r = 0; r < count; ++r) point(first, r, scores.data() + static_cast<size_t>(r) * score_stride);
        }
        allowed.resize(s.actions);
        make_room(s.actions);
        for (int r = 0; r < count; ++r) {
            float* row = scores.data() + static_cast<size_t>(r) * score_stride;
            decoder.machine.mask(hypotheses[rows[first + r]].state, allowed.data());
            k.log_softmax(row, allowed.data(), s.actions, weights.data());
            std::memcpy(found + static_cast<size_t>(r) * s.actions, row, s.actions * sizeof(float));
        }
    }

    void normalise(const Norm& norm, const float* addend, int count, std::vector<float>& output) {
        decoder.kernels.add_and_normalise(x.data(), addend, count, padded(s.width), s.width, norm.scale.data(),
                                          norm.shift.data(), output.data());
    }

    // The words in the buffer and on the stack, of every row.
    void list_words(int first, int count) {
        in_buffer.clear();
        on_stack.clear();
        buffer_ends.assign(1, 0);
        stack_ends.assign(1, 0);
        for (int r = 0; r < count; ++r) {
            const State& state = hypotheses[rows[first + r]].state;
            for (int i = 0; i < state.words(); ++i) {
                if (state.status[i] == IN_BUFFER) in_buffer.push_back(i);
                if (state.status[i] == ON_STACK) on_stack.push_back(i);
            }
            buffer_ends.push_back(static_cast<int>(in_buffer.size()));
            stack_ends.push_back(static_cast<int>(on_stack.size()));
        }
    }

    void embed(const Hypothesis& hypothesis, float* row) {
        const Kernels& k = decoder.kernels;
        const int width = s.width, half = width / 2;
        const State& state = hypothesis.state;
        const float* embedding = decoder.embedding.data() + static_cast<size_t>(state.previous) * width;
        const float* position = position_of(state.steps);
        for (int i = 0; i < width; ++i) row[i] = embedding[i] * decoder.scale;
        k.add(row, position, 2 * half);
        if (s.feature_words) {
            int words[FEATURE_WORDS];
            state.feature_words(words);
            const float* table = sources[s.layers];
            for (int f = 0; f < s.feature_words; ++f)
                if (words[f] != NO_WORD) {
                    const size_t word = offsets[hypothesis.sentence] + words[f];
                    k.add(row, table + (word * s.feature_words + f) * width, width);
                }
        }
        if (s.label_kinds) {
            int labels[FEATURE_LABELS];
            state.feature_labels(labels);
            for (int f = 0; f < FEATURE_LABELS; ++f)
                k.add(row, decoder.label_embedding.data() + static_cast<size_t>(f * s.label_kinds + labels[f]) * width, width);
        }
    }

    const float* position_of(int step) {
        const int width = s.width, half = width / 2;
        for (int known = static_cast<int>(positions.size() / width); known <= step; ++known)
            for (int part = 0; part < 2; ++part)
                for (int i = 0; i < half; ++i) {
                    const float angle = static_cast<float>(known) * decoder.frequencies[i];
                    positions.push_back(part ? std::cos(angle) : std::sin(angle));
                }
        return positions.data() + static_cast<size_t>(step) * width;
    }

    // for attention to so many rows
    void make_room(int length) {
        if (keys.size() >= static_cast<size_t>(length)) return;
        keys.resize(2 * length);
        room_of_head = padded(2 * length) + LARGEST_PANEL;
        weights.resize(static_cast<size_t>(s.heads) * room_of_head);
    }

    void attend_to_actions(int layer, int first, int r, int wide_stride, int stride) {
        const int width = s.width;
        Hypothesis& hypothesis = hypotheses[rows[first + r]];
        const float* row = wide.data() + static_cast<size_t>(r) * wide_stride;
        if (layer == 0) hypothesis.add_place(arena);
        const int length = static_cast<int>(hypothesis.path.size());
        std::memcpy(arena.at(hypothesis.path.back(), layer), row + width, 2 * width * sizeof(float));
        make_room(length);
        for (int i = 0; i < length; ++i) keys[i] = arena.at(hypothesis.path[i], layer);
        decoder.kernels.attend_with_all_heads(row, keys.data(), length, width, s.heads, width / s.heads, weights.data(),
                                              room_of_head, attended.data() + static_cast<size_t>(r) * stride);
    }

    void attend_to_words(int layer, int first, int r, int stride) {
        const int width = s.width, head_width = width / s.heads;
        const Hypothesis& hypothesis = hypotheses[rows[first + r]];
        const int words = hypothesis.state.words();
        const float* source = sources[layer] + static_cast<size_t>(offsets[hypothesis.sentence]) * 2 * width;
        make_room(words);
        const bool is_dedicated = layer < s.dedicated_layers;
        for (int h = 0; h < s.heads; ++h) {
            const float* of_head = source + h * head_width;
            int count = 0;
            if (is_dedicated && h < s.buffer_heads)
                for (int i = buffer_ends[r]; i < buffer_ends[r + 1]; ++i) keys[count++] = of_head + static_cast<size_t>(2) * width * in_buffer[i];
            else if (is_dedicated && h < s.buffer_heads + s.stack_heads)
                for (int i = stack_ends[r]; i < stack_ends[r + 1]; ++i) keys[count++] = of_head + static_cast<size_t>(2) * width * on_stack[i];
            else
                for (; count < words; ++count) keys[count] = of_head + static_cast<size_t>(2) * width * count;
            decoder.kernels.attend(wide.data() + static_cast<size_t>(r) * stride + h * head_width, keys.data(), count, width,
                                   head_width, weights.data(), attended.data() + static_cast<size_t>(r) * stride + h * head_width);
        }
    }

    // The pointer: a score for every word of the buffer, added to that of the SHIFT that would shift it.
    void point(int first, int r, float* row) {
        const Hypothesis& hypothesis = hypotheses[rows[first + r]];
        const int width = s.pointer_width, begin = buffer_ends[r];
        const int top = hypothesis.state.of_element(hypothesis.state.last, 1, NO_WORD);
        const float scale = 1.0f / std::sqrt(static_cast<float>(width));
        const float* query = queries.data() + static_cast<size_t>(r) * padded(width);
        const float* near = nearness.data() + static_cast<size_t>(r) * padded(2 * s.near + 1);
        const float* of_sentence = sources[s.layers + 1] + static_cast<size_t>(offsets[hypothesis.sentence]) * width;
        const int count = buffer_ends[r + 1] - begin;
        for (int i = 0; i < count && i < static_cast<int>(decoder.shift_at.size()); ++i) {
            if (decoder.shift_at[i] < 0) continue;
            const int word = in_buffer[begin + i];
            int distance = word - top;
            distance = distance < -s.near ? -s.near : distance > s.near ? s.near : distance;
            const float* key = of_sentence + static_cast<size_t>(word) * width;
            row[decoder.shift_at[i]] += scale * decoder.kernels.dot(query, key, width) + near[distance + s.near];
        }
    }
};

}  // namespace discoseq

using discoseq::Decoder;
using discoseq::Search;
using discoseq::Settings;

extern "C" {
Decoder* discoseq_decoder_new(const Settings* settings, const int32_t* vocabulary, const float* const* weights) {
    return new Decoder(*settings, vocabulary, weights);
}
void discoseq_decoder_delete(Decoder* decoder) { delete decoder; }
Search* discoseq_search_new(const Decoder* decoder) { return new Search(*decoder); }
void discoseq_search_delete(Search* search) { delete search; }
void discoseq_search_start(Search* search, int count, const int32_t* offsets, const float* const* sources) {
    search->start(count, offsets, sources);
}
void discoseq_search_finished(const Search* search, uint8_t* finished) { search->is_finished(finished); }
void discoseq_search_keep(Search* search, int count, const int64_t* rows) { search->keep(count, rows); }
void discoseq_search_advance(Search* search, int count, const int64_t* parents, const int64_t* actions) {
    search->advance(count, parents, actions);
}
void discoseq_search_score(Search* search, float* found) { search->score(found); }
}
