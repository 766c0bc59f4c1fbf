"""The choices of a training run; the defaults are the paper's."""

from dataclasses import dataclass, field

from discoseq.model.settings import ModelSettings

SCHEDULES = ("inverse-sqrt", "linear")
ENCODER_TRAININGS = ("frozen", "tuned", "lora")
PRECISIONS = ("no", "bf16", "fp16")
VECTOR_PRECISIONS = ("float32", "float16")  # of cached vectors


@dataclass(frozen=True, slots=True)
class DataSettings:
    """Treebank files of any format; several are read one after the other."""

    train: list[str] = field(default_factory=list)
    dev: list[str] = field(default_factory=list)
    repeats: list[int] = field(default_factory=list)  # how often an epoch goes through each file of train; empty: once
    varied: int = 0  # copies of every training tree with some phrases replaced by others of their kind
    varied_rate: float = 0.25  # how often a phrase is replaced, if none above it is
    # of a language model, one .npy file (words of all sentences, width) for each file above; none without one
    train_vectors: list[str] = field(default_factory=list)
    dev_vectors: list[str] = field(default_factory=list)
    longest: int = 1024  # actions; longer sequences are left out of training, as the authors' code does


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How the network is fitted."""

    seed: int = 1
    start: str = ""  # directory of a finished model whose weights are gone on with; empty: random ones
    epochs: int = 80
    batch_tokens: int = 3584  # padded: sentences times the longer of words and actions
    learning_rate: float = 5e-4
    schedule: str = "inverse-sqrt"  # or "linear": down to nothing at the last epoch
    warmup_steps: int = 4000
    first_learning_rate: float = 1e-7
    last_learning_rate: float = 1e-9
    beta1: float = 0.9
    beta2: float = 0.98
    weight_decay: float = 0.0
    encoder_training: str = "frozen"  # its vectors are made once; "tuned": it learns too; "lora": adapters in it do
    encoder_learning_rate: float = 5e-5  # at its highest, of a tuned encoder
    encoder_unfreeze_epochs: int = 0  # its layers begin to learn from the top, one in so many epochs; 0: all at once
    lora_rank: int = 8  # of the adapters
    gradient_checkpointing: bool = False  # less memory for a tuned encoder, and more time
    vector_precision: str = "float32"  # of a frozen encoder's vectors on disk; or "float16"
    encoder_frozen_embeddings: bool = True  # pieces that training does not show stay in step with those it does
    encoder_stored: bool = False  # the finished model holds a frozen encoder too, and needs nothing else
    clip_norm: float = 0.0  # 0: gradients are not clipped
    label_smoothing: float = 0.01
    teachers: list[str] = field(default_factory=list)  # directories of finished models to learn from, too
    teacher_weight: float = 0.5  # of what they say, beside the treebank's actions
    masked_loss: bool = True  # invalid actions get no probability in training, as in decoding (the authors' code)
    tag_weight: float = 0.0  # of the tag head's loss beside that of the actions
    spine_weight: float = 0.0  # likewise
    precision: str = "no"  # or "bf16", "fp16"
    first_scored_epoch: int = 41  # dev is parsed after every epoch from this one on (the authors: the last 40 of 80)
    patience: int = 0  # epochs without a better dev F1 before training stops; 0: it goes on to the end
    averaged: int = 3  # best checkpoints on dev that make the final weights
    beam: int = 10  # for the final figure; during training dev is parsed greedily
    checkpoint_minutes: float = 10.0
    compact: bool = False  # the finished model's weights are rounded to take half the room; it is scored like that


@dataclass(frozen=True, slots=True)
class Config:
    """A whole experiment."""

    linearization: str = "in-order+swap"
    language: str = "en"  # by whose rules raw text is cut into words for the finished model
    data: DataSettings = field(default_factory=DataSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    training: TrainingSettings = field(default_factory=TrainingSettings)
