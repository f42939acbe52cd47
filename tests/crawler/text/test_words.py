from crawler.text.words import join_segments, split_segments, word_spans


def test_split_segments_says_where_each_segment_ends() -> None:
    joined = join_segments(["solar cell", "", "the", "光伏电池"])

    assert split_segments(joined) == (["solar", "cell", "光伏", "电池"], [2, 2, 2, 4])


def test_join_segments_keeps_their_number_whatever_they_hold() -> None:
    _, ends = split_segments(join_segments(["a\x01b", "\x01"]))

    assert len(ends) == 2


def test_word_spans_hold_stop_words_too() -> None:
    assert word_spans("the 光伏电池") == [("the", 0, 3), ("光伏", 4, 6), ("电池", 6, 8)]
