// A search: the hypotheses of a batch of sentences, and the decoder's step for all of them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "hypotheses.hpp"
#include "weights.hpp"

namespace discoseq {

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
                k.add(row, decoder.label_embedding.data() + static_cast<size_t>(f * s.label_kinds + labels[f]) * width,
                      width);
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
        const size_t row_size = static_cast<size_t>(2) * width;
        const float* source = sources[layer] + row_size * offsets[hypothesis.sentence];
        make_room(words);
        const bool is_dedicated = layer < s.dedicated_layers;
        for (int h = 0; h < s.heads; ++h) {
            const float* of_head = source + h * head_width;
            const size_t at = static_cast<size_t>(r) * stride + h * head_width;
            int count = 0;
            if (is_dedicated && h < s.buffer_heads)
                for (int i = buffer_ends[r]; i < buffer_ends[r + 1]; ++i)
                    keys[count++] = of_head + row_size * in_buffer[i];
            else if (is_dedicated && h < s.buffer_heads + s.stack_heads)
                for (int i = stack_ends[r]; i < stack_ends[r + 1]; ++i)
                    keys[count++] = of_head + row_size * on_stack[i];
            else
                for (; count < words; ++count) keys[count] = of_head + row_size * count;
            decoder.kernels.attend(wide.data() + at, keys.data(), count, width, head_width, weights.data(),
                                   attended.data() + at);
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
