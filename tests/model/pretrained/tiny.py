"""Tiny language models with random weights and freshly trained tokenizers, in files as on the Hugging Face hub."""

import json
from collections.abc import Callable
from pathlib import Path

import torch
import transformers
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from discoseq.batching.subwords import SubwordTokenizer
from discoseq.model.pretrained.language_model import LanguageModel
from discoseq.model.pretrained.loading import load_pretrained

WIDTH, LAYERS, WINDOW = 16, 3, 64
SIZES = {"hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": 2, "intermediate_size": 32}
TEXT = [
    "the cat sat on the mat , and the dogs barked at it .",
    "das Buch hat er nicht gelesen , weil es ihm zu lang war",
    "do n't you think that whitespace is enough ? no , 42 times no !",
    "он не читал эту книгу",
] * 4
# some of these words do not occur in the training text of the tokenizers
SENTENCES = [
    ["the", "cat", "sat", "."],
    ["Unbelievable"],
    ["Xylophones", "do", "n't", "bark", "at", "(", "2,500", ")", "großen", "Büchern", "…"],
    ["a", "a", "a"],
]

transformers.utils.logging.disable_progress_bar()


def wordpiece() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(
        TEXT, trainers.WordPieceTrainer(vocab_size=130, special_tokens=specials, show_progress=False)
    )
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def byte_level() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=340,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXT, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return tokenizer


def unigram() -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(vocab_size=120, special_tokens=specials, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(TEXT, trainer)
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    return tokenizer


def split_byte_level() -> Tokenizer:
    """As in Qwen: a regular expression finds the parts of a text, and no special token is added."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    parts = Regex(r"'(?:s|t|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(parts, "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=340,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXT, trainer)
    return tokenizer


def byte_fallback(normalizer: normalizers.Normalizer, splitter: pre_tokenizers.PreTokenizer | None) -> Tokenizer:
    """Like a SentencePiece model: spaces are part of the next word, and unknown characters are spelled in bytes."""
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.Metaspace()
    specials = ["<pad>", "<eos>", "<bos>", "<unk>"]
    trained.train_from_iterator(TEXT, trainers.BpeTrainer(vocab_size=120, special_tokens=specials, show_progress=False))
    model = json.loads(trained.to_str())["model"]
    vocabulary = model["vocab"] | {f"<0x{byte:02X}>": len(model["vocab"]) + byte for byte in range(256)}
    merges = [tuple(pair) for pair in model["merges"]]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.add_special_tokens(specials)
    tokenizer.normalizer = normalizer
    if splitter is not None:
        tokenizer.pre_tokenizer = splitter
    tokenizer.post_processor = processors.TemplateProcessing("<bos> $A", special_tokens=[("<bos>", 2)])
    return tokenizer


def write(folder: Path, tokenizer: Tokenizer, tokenizer_class: str, config: transformers.PretrainedConfig) -> Path:
    """Write a directory as transformers expects it."""
    folder.mkdir(parents=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    names = {"pad_token": ("[PAD]", "<pad>"), "bos_token": ("<bos>",), "eos_token": ("<eos>", "<|endoftext|>")}
    found = {
        key: token for key, tokens in names.items() for token in tokens if tokenizer.token_to_id(token) is not None
    }
    options = {"tokenizer_class": tokenizer_class, "model_max_length": WINDOW} | found
    (folder / "tokenizer_config.json").write_text(json.dumps(options))
    config.vocab_size = tokenizer.get_vocab_size()
    config.pad_token_id = tokenizer.token_to_id(found["pad_token"]) if "pad_token" in found else None
    torch.manual_seed(1)
    model = transformers.AutoModel.from_config(config)
    with torch.no_grad():  # the usual initialization is so small that all words have similar vectors
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    model.save_pretrained(folder)
    return folder


def write_bert(folder: Path) -> Path:
    return write(folder, wordpiece(), "BertTokenizer", transformers.BertConfig(**SIZES, max_position_embeddings=80))


def write_relu_bert(folder: Path) -> Path:
    """With an activation that `Bert` does not have, so that transformers computes it."""
    config = transformers.BertConfig(**SIZES, max_position_embeddings=80, hidden_act="relu")
    return write(folder, wordpiece(), "BertTokenizer", config)


def write_roberta(folder: Path) -> Path:
    config = transformers.RobertaConfig(**SIZES, max_position_embeddings=WINDOW + 2)
    written = write(folder, byte_level(), "RobertaTokenizer", config)
    model = json.loads((folder / "tokenizer.json").read_text())["model"]
    (folder / "vocab.json").write_text(json.dumps(model["vocab"]))
    (folder / "merges.txt").write_text("#version: 0.2\n" + "".join(" ".join(pair) + "\n" for pair in model["merges"]))
    return written


def write_modern(folder: Path) -> Path:
    """Byte-level subwords, in a tokenizer class that has no option for spaces before words."""
    config = transformers.ModernBertConfig(**SIZES, max_position_embeddings=80, local_attention=8)
    return write(folder, byte_level(), "PreTrainedTokenizerFast", config)


def write_xlm_roberta(folder: Path) -> Path:
    config = transformers.XLMRobertaConfig(**SIZES, max_position_embeddings=WINDOW + 2)
    return write(folder, unigram(), "PreTrainedTokenizerFast", config)


CAUSAL = SIZES | {"num_key_value_heads": 1, "max_position_embeddings": 80, "bos_token_id": None, "eos_token_id": None}


def write_llama(folder: Path) -> Path:
    """The normalizer puts a space before the text, and there is no splitter."""
    normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    return write(folder, byte_fallback(normalizer, None), "PreTrainedTokenizerFast", transformers.LlamaConfig(**CAUSAL))


def write_gemma(folder: Path) -> Path:
    """Nothing puts a space before the text; and some layers see only a few subwords."""
    splitter = pre_tokenizers.Split(" ", "merged_with_previous")
    kinds = ["sliding_attention", "full_attention", "sliding_attention"]
    config = transformers.Gemma3TextConfig(**CAUSAL, head_dim=8, sliding_window=8, layer_types=kinds)
    return write(folder, byte_fallback(normalizers.Replace(" ", "▁"), splitter), "PreTrainedTokenizerFast", config)


def write_qwen(folder: Path) -> Path:
    """Without a token for padding or for the start of a text."""
    config = transformers.Qwen2Config(**CAUSAL, use_sliding_window=False)
    return write(folder, split_byte_level(), "PreTrainedTokenizerFast", config)


CAUSAL_KINDS: dict[str, Callable[[Path], Path]] = {"llama": write_llama, "gemma": write_gemma, "qwen": write_qwen}
KINDS: dict[str, Callable[[Path], Path]] = {
    "bert": write_bert,
    "relu-bert": write_relu_bert,
    "roberta": write_roberta,
    "modernbert": write_modern,
    "xlm-roberta": write_xlm_roberta,
    **CAUSAL_KINDS,
}


def loaded(directory: Path | str, output: str) -> tuple[LanguageModel, SubwordTokenizer]:
    """A language model in evaluation mode, and its tokenizer."""
    pretrained, body = load_pretrained(str(directory), output)
    return LanguageModel(body, pretrained.choice(output)).eval(), pretrained.tokenizer
