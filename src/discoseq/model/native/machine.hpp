// The machine for one derivation: the same rules as linearizations/{state,preconditions,transitions,traversals}.py,
// which explain them. tests/model/test_native_decoder.py follows both at random and compares what they allow.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace discoseq {

enum Move { PAD, SHIFT, SWAP, NON_TERMINAL, REDUCE, FINISH, MOVES };
enum Status : int8_t { IN_BUFFER, ON_STACK, INSIDE };
enum Traversal { TOP_DOWN, IN_ORDER, BOTTOM_UP };

constexpr int NO_WORD = -1;
constexpr int FEATURE_WORDS = 8;
constexpr int FEATURE_LABELS = 6;
constexpr int MOST_CHILDREN = 3;
constexpr int WEAK_CHAIN = 3;

inline int floor_divide(int a, int b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

struct OpenConstituent {
    int child_start, label, chain, outer_required;
};

struct State {
    std::vector<int8_t> status;                      // of every word
    std::vector<int> stack, last, labels, chains;    // of every element, bottom first; with SWAP, `stack` ends in buffer
    std::vector<OpenConstituent> open;               // entry 0 is for states in which none is open
    int stack_size = 0, buffer_size = 0, built = 0, swappable = 0, steps = 0, previous = PAD;
    bool has_just_swapped = false, is_finished = false;

    void start(int words) {
        *this = State();
        status.assign(words, IN_BUFFER);
        stack.resize(words);
        for (int i = 0; i < words; ++i) stack[i] = i;
        last.assign(words, 0);
        labels.assign(words, 0);
        chains.assign(words, 0);
        open.assign(1, {0, 0, 0, 0});
        buffer_size = words;
        is_finished = words == 0;
    }
    int words() const { return static_cast<int>(status.size()); }
    int open_count() const { return static_cast<int>(open.size()) - 1; }
    int child_count() const { return stack_size - open.back().child_start; }
    int top_chain() const { return chains[stack_size > 0 ? stack_size - 1 : 0]; }

    // the first word of the buffer from a position on, or NO_WORD
    int buffer_word_from(int position) const {
        if (position >= words()) return NO_WORD;
        const void* found = std::memchr(status.data() + position, IN_BUFFER, words() - position);
        return found ? static_cast<int>(static_cast<const int8_t*>(found) - status.data()) : NO_WORD;
    }
    int of_element(const std::vector<int>& entries, int from_top, int otherwise) const {
        return stack_size >= from_top ? entries[stack_size - from_top] : otherwise;
    }
    int open_label(int number) const {
        int depth = open_count() - (number - 1);
        return depth > 0 ? open[depth].label + 1 : 0;
    }

    void feature_words(int* words) const {
        int first = buffer_word_from(0);
        int top_last = of_element(last, 1, NO_WORD);
        words[0] = of_element(stack, 1, NO_WORD);
        words[1] = of_element(stack, 2, NO_WORD);
        words[2] = first;
        words[3] = top_last;
        words[4] = of_element(last, 2, NO_WORD);
        words[5] = of_element(stack, 3, NO_WORD);
        words[6] = first == NO_WORD ? NO_WORD : buffer_word_from(first + 1);
        words[7] = buffer_word_from(top_last + 1);
    }
    void feature_labels(int* found) const {
        for (int i = 0; i < 3; ++i) found[i] = of_element(labels, i + 1, 0);
        found[3] = open_label(1);
        found[4] = open_label(2);
        found[5] = child_count() < MOST_CHILDREN ? child_count() : MOST_CHILDREN;
    }
};

struct Machine {
    int traversal, children_before_label, unary_limit;
    bool has_swap, has_counted_shift, is_enriched, is_weak;
    std::vector<int> moves, distances, labels;  // of every action
    int begin[MOVES], end[MOVES];               // the actions of a move

    int actions() const { return static_cast<int>(moves.size()); }
    bool has(Move move) const { return begin[move] < end[move]; }

    void mask(const State& s, uint8_t* allowed) const {
        std::memset(allowed, 0, actions());
        if (s.is_finished) {
            allowed[PAD] = 1;
            return;
        }
        const int open = s.open_count(), children = s.child_count();
        const bool is_loose = is_weak && children_before_label > 0;
        bool shift = false, non_terminal = false, reduce = false, finish = false;
        if (traversal == TOP_DOWN) {
            shift = open > 0;
            non_terminal = open > 0 || s.stack_size == 0;
            reduce = open > 1 || s.buffer_size == 0;
        } else if (traversal == IN_ORDER) {
            shift = open > 0 || s.stack_size == 0;
            non_terminal = children > 1 || (open == 0 && s.stack_size > 0);
            reduce = open > 0;
            finish = open == 0 && s.buffer_size == 0 && s.built > 0;
        } else {
            shift = s.buffer_size > 0;
            reduce = s.stack_size > 0;
            finish = s.stack_size == 1 && s.buffer_size == 0 && s.built > 0;
        }
        const int shortest = has_counted_shift && !is_weak ? oracle_distance(s) : 0;
        bool is_ordered = false;  // whether an action is left that an oracle might choose
        if (finish)
            for (int a = begin[FINISH]; a < end[FINISH]; ++a) allowed[a] = is_ordered = true;
        for (int a = begin[SWAP]; a < end[SWAP]; ++a)
            if (distances[a] < s.swappable) allowed[a] = is_ordered = true;
        if (non_terminal && (is_loose ? s.buffer_size > 0 || s.top_chain() < WEAK_CHAIN : may_open(s)))
            for (int a = begin[NON_TERMINAL]; a < end[NON_TERMINAL]; ++a) allowed[a] = is_ordered = true;
        if (reduce) is_ordered |= mask_reduce(s, is_loose, allowed);
        if (shift && (is_loose || may_shift(s))) {
            const bool only_first = has_counted_shift && !is_weak && s.stack_size == 0;
            for (int a = begin[SHIFT]; a < end[SHIFT]; ++a)
                if (distances[a] < s.buffer_size && (only_first ? distances[a] == 0 : distances[a] >= shortest))
                    allowed[a] = is_ordered = true;
            if (!is_ordered)
                for (int a = begin[SHIFT]; a < end[SHIFT]; ++a) allowed[a] = distances[a] < s.buffer_size;
        }
    }

    void apply(State& s, int action) const {
        s.previous = action;
        s.steps += 1;
        switch (moves[action]) {
            case SHIFT: return shift(s, distances[action]);
            case SWAP: return swap(s, distances[action]);
            case NON_TERMINAL: return open_constituent(s, labels[action]);
            case REDUCE: return reduce(s, action);
            case FINISH: s.is_finished = true;
        }
    }

  private:
    // the words of the buffer before the first word of the top element
    static int oracle_distance(const State& s) {
        int skipped = 0;
        const int top = s.of_element(s.stack, 1, NO_WORD);
        for (int i = 0; i < top; ++i) skipped += s.status[i] == IN_BUFFER;
        return skipped;
    }
    int required_words(const State& s, int children, int chain) const {
        const OpenConstituent& inner = s.open.back();
        const int length = children == 1 ? inner.chain + chain : inner.chain - 1;
        return inner.outer_required + floor_divide(length, unary_limit + 1);
    }
    OpenConstituent opened(const State& s, int child_start) const {
        const OpenConstituent& inner = s.open.back();
        if (child_start == inner.child_start) return {child_start, 0, inner.chain + 1, inner.outer_required};
        const int required = (inner.chain > 1 ? inner.chain - 1 : 0) / (unary_limit + 1);
        return {child_start, 0, 1, inner.outer_required + required};
    }
    bool may_shift(const State& s) const {
        if (!has(NON_TERMINAL)) return true;
        const int returnable = s.has_just_swapped ? 0 : s.swappable;
        return required_words(s, s.child_count() - returnable + 1, 0) < s.buffer_size + returnable;
    }
    bool may_open(const State& s) const {
        const OpenConstituent after = opened(s, s.stack_size - children_before_label);
        const int chain = children_before_label ? s.top_chain() : 0;
        const int required = after.outer_required + floor_divide(after.chain + chain, unary_limit + 1);
        return required + (children_before_label == 0) <= s.buffer_size;
    }
    bool may_close(const State& s) const {
        const int children = s.child_count(), start = s.open.back().child_start, end = s.words() - 1;
        const int chain = s.chains[start < end ? start : end];
        return s.open_count() > 0 && children > 0 && (children > 1 || chain < unary_limit) &&
               required_words(s, children, chain) <= s.buffer_size;
    }
    bool mask_reduce(const State& s, bool is_loose, uint8_t* allowed) const {
        bool any = false;
        if (!has(NON_TERMINAL)) {
            for (int a = begin[REDUCE]; a < end[REDUCE]; ++a)
                if (distances[a] <= s.stack_size && (distances[a] > 1 || s.top_chain() < unary_limit))
                    allowed[a] = any = true;
            return any;
        }
        if (!(is_loose ? s.top_chain() <= WEAK_CHAIN || s.buffer_size == 0 : may_close(s))) return false;
        for (int a = begin[REDUCE]; a < end[REDUCE]; ++a)
            if (!is_enriched || labels[a] == s.open.back().label) allowed[a] = any = true;
        return any;
    }

    void shift(State& s, int distance) const {
        int word;
        if (has_swap) {
            word = s.stack[s.words() - s.buffer_size];
        } else {
            word = s.buffer_word_from(0);
            while (distance-- > 0) word = s.buffer_word_from(word + 1);
        }
        const int position = s.stack_size++;
        s.status[word] = ON_STACK;
        s.stack[position] = s.last[position] = word;
        s.labels[position] = s.chains[position] = 0;
        s.buffer_size -= 1;
        if (has_swap) {
            s.swappable = (s.has_just_swapped ? 0 : s.swappable) + 1;
            s.has_just_swapped = false;
        }
    }
    void swap(State& s, int distance) const {
        const int top = s.stack_size - 1, word = s.stack[top];
        const int front = s.words() - s.buffer_size;
        // from the top down: the stack grows upwards and the buffer downwards, and they do not overlap
        for (int k = 1; k <= distance; ++k) {
            const int returned = s.stack[top - k];
            s.status[returned] = IN_BUFFER;
            s.stack[front - k] = returned;
        }
        s.stack[top - distance] = word;
        s.last[top - distance] = s.last[top];
        s.stack_size -= distance;
        s.buffer_size += distance;
        s.swappable -= distance;
        s.has_just_swapped = !is_weak;
    }
    void open_constituent(State& s, int label) const {
        OpenConstituent after = opened(s, s.stack_size - children_before_label);
        after.label = label;
        s.open.push_back(after);
        s.swappable = 0;
        s.has_just_swapped = false;
    }
    void reduce(State& s, int action) const {
        const int end = s.stack_size;
        int first = end - distances[action], label = labels[action];
        if (has(NON_TERMINAL)) {
            first = s.open.back().child_start;
            label = s.open.back().label;
            s.open.pop_back();
        }
        for (int i = first + 1; i < end; ++i) {
            s.status[s.stack[i]] = INSIDE;
            if (s.last[i] > s.last[first]) s.last[first] = s.last[i];
        }
        s.labels[first] = label + 1;
        s.chains[first] = end - first == 1 ? s.chains[first] + 1 : 0;
        s.stack_size = first + 1;
        s.built += 1;
        s.swappable = 0;
        s.has_just_swapped = false;
        if (!has(FINISH)) s.is_finished = s.open_count() == 0;
    }
};

}  // namespace discoseq
