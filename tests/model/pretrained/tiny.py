"""Tiny language models with random weights and freshly trained tokenizers, in files as on the Hugging Face hub."""

import json
from collections.abc import Callable
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from discoseq.batching.subwords import SubwordTokenizer
from discoseq.model.pretrained.language_model import LanguageModel
from discoseq.model.pretrained.loading import load_pretrained

WIDTH, LAYERS, WINDOW = 16, 3, 64
SIZES = {"hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": 2, "intermediate_size": 32}
TEXT = [
    "the cat sat on the mat , and the dogs barked at it .",
    "das Buch hat er nicht gelesen , weil es ihm zu lang war",
    "do n't you think that whitespace is enough ? no , 42 times no !",
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
        TEXT, trainers.WordPieceTrainer(vocab_size=90, special_tokens=specials, show_progress=False)
    )
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def byte_level() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=320,
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
    trainer = trainers.UnigramTrainer(vocab_size=80, special_tokens=specials, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(TEXT, trainer)
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    return tokenizer


def write(folder: Path, tokenizer: Tokenizer, tokenizer_class: str, config: transformers.PretrainedConfig) -> Path:
    """Write a directory as transformers expects it."""
    folder.mkdir(parents=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    padding = "[PAD]" if tokenizer.token_to_id("[PAD]") is not None else "<pad>"
    options = {"tokenizer_class": tokenizer_class, "model_max_length": WINDOW, "pad_token": padding}
    (folder / "tokenizer_config.json").write_text(json.dumps(options))
    config.vocab_size, config.pad_token_id = tokenizer.get_vocab_size(), tokenizer.token_to_id(padding)
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


KINDS: dict[str, Callable[[Path], Path]] = {
    "bert": write_bert,
    "relu-bert": write_relu_bert,
    "roberta": write_roberta,
    "modernbert": write_modern,
    "xlm-roberta": write_xlm_roberta,
}


def loaded(directory: Path | str, output: str) -> tuple[LanguageModel, SubwordTokenizer]:
    """A language model in evaluation mode, and its tokenizer."""
    pretrained, body = load_pretrained(str(directory), output)
    return LanguageModel(body, pretrained.choice(output)).eval(), pretrained.tokenizer
