// The weights of a decoder, arranged as the kernels read them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels.hpp"
#include "machine.hpp"

namespace discoseq {

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
            const float* row = weight + static_cast<size_t>(c) * in;
            for (int k = 0; k < in; ++k) target[static_cast<size_t>(k) * panel] = row[k];
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
        if (s.label_kinds)
            copy(label_embedding, *weights++, static_cast<size_t>(FEATURE_LABELS) * s.label_kinds * s.width);
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
    static void copy(std::vector<float>& target, const float* values, size_t count) {
        target.assign(values, values + count);
    }
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

}  // namespace discoseq
