"""The encoder: vectors of words to vectors of words in their sentence."""

from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from discoseq.model.attention import HeadMask
from discoseq.model.layers import EncoderLayer


class Encoder(nn.Module):
    """A stack of layers in which every word sees every other."""

    def __init__(self, layers: int, width: int, heads: int, hidden: int, dropout: float, is_pre_norm: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(width, heads, hidden, dropout, is_pre_norm) for _ in range(layers))
        # with the norm before each function, nothing has normed the last sum yet
        self.norm = nn.LayerNorm(width) if is_pre_norm else nn.Identity()

    def forward(self, x: Tensor, is_word: Tensor) -> Tensor:
        """From (batch, words, width) to the same; `is_word` (batch, words) tells words from padding."""
        mask = HeadMask.of_padding(is_word, x)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


class RecurrentEncoder(nn.Module):
    """LSTMs that read the sentence in both directions: on a small treebank they learn faster than attention does."""

    def __init__(self, layers: int, width: int, dropout: float) -> None:
        super().__init__()
        between = dropout if layers > 1 else 0.0
        self.lstm = nn.LSTM(width, width // 2, layers, batch_first=True, bidirectional=True, dropout=between)
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor, is_word: Tensor) -> Tensor:
        """From (batch, words, width) to the same; `is_word` (batch, words) tells words from padding."""
        lengths = is_word.sum(dim=1).cpu()  # where the way back begins in each sentence
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        read, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=x.shape[1])
        return self.norm(x + read)
