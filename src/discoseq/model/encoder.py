"""The encoder: vectors of words to vectors of words in their sentence."""

from torch import Tensor, nn

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
