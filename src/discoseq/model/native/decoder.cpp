// The decoder's step and the machine as one compiled loop: what model/decoder.py, model/beam_cache.py and
// linearizations/ do, for networks on a CPU. These are the functions that model/native_decoder.py calls.
#include <cstdint>

#include "search.hpp"

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
