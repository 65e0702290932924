import numpy as np
import pytest

from ragsweep.rerankers.blend import z_scores


def test_sigma_is_that_of_the_population():
    assert z_scores(np.array([1, 2, 3, 6])) == pytest.approx(np.array([-2, -1, 0, 3]) / np.sqrt(3.5))


@pytest.mark.parametrize("scores", [[], [0.7], [0.1, 0.1, 0.1], [0.3] * 7])
def test_equal_scores_are_0_exactly(scores):
    assert z_scores(np.array(scores, dtype=np.float32)).tolist() == [0.0] * len(scores)
