// SubRip, WebVTT and ASS as they come, and as enemies write them: texts and times, and nothing else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_CUES, webVttOf } from '../../../../src/web/model/subtitles/cue.ts'
import { cuesOf, SUBTITLE_NAME } from '../../../../src/web/model/subtitles/subtitles.ts'

const told = (text: string): unknown[] => cuesOf(text).map(({ startMs, endMs, text: said }) => [startMs, endMs, said])

test('SubRip: numbers, tags, places, other ends of lines, times without hours', () => {
  const text = [
    '1',
    '00:00:01,000 --> 00:00:02,500 X1:40 X2:600',
    '<i>Hello</i> <font color="#ff0000">there</font>',
    '{\\an8}{y:i}- Yes, 1 < 2 & 3 > 2',
    '',
    '2',
    '01:41.5 --> 01:42,75',
    '2012',
    '',
    '3',
    '1:02:03.004 --> 1:02:04:005',
    'First',
    '',
    'after a blank line',
    '',
    '4',
    '00:00:05,000 --> 00:00:05,000',
    'shown for no time',
  ]
  const expected = [
    [1000, 2500, 'Hello there\n- Yes, 1 < 2 & 3 > 2'],
    [101_500, 102_750, '2012'],
    [3_723_004, 3_724_005, 'First\nafter a blank line'],
  ]
  for (const end of ['\n', '\r\n', '\r']) assert.deepEqual(told(text.join(end)), expected, JSON.stringify(end))
})

test('WebVTT: notes, styles, names, entities, settings', () => {
  const text = `WEBVTT - a film

NOTE
00:00:00.000 is not a time

STYLE
::cue { background: url(http://evil/) }

first
00:01.000 --> 00:02.000 align:start position:10%
<v Mary>Hello &amp; <b.loud>good</b> <00:01.500>day&nbsp;&lt;here&gt;

00:03.000 --> 00:04.000
two
lines
`
  assert.deepEqual(told(text), [
    [1000, 2000, 'Hello & good day <here>'],
    [3000, 4000, 'two\nlines'],
  ])
})

test('ASS and SSA: fields in their own order, commas, lines, layers once, drawings left out', () => {
  const ass = `[Script Info]
Title: x

[V4+ Styles]
Format: Name, Fontname
Style: Default,Arial

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Comment: 0,0:00:00.00,0:00:09.00,Default,,0,0,0,,a note
Dialogue: 0,0:00:05.50,0:00:06.00,Default,,0,0,0,,{\\i1}Second{\\i0},\\Nwith \\h commas, yes
Dialogue: 1,0:00:01.25,0:00:02.00,Default,,0,0,0,,First
Dialogue: 0,0:00:01.25,0:00:02.00,Outline,,0,0,0,,First
Dialogue: 0,0:00:01.25,0:00:02.00,Sign,,0,0,0,,{\\p1}m 0 0 l 100 0 100 100{\\p0}
`
  assert.deepEqual(told(ass), [
    [1250, 2000, 'First'],
    [5500, 6000, 'Second,\nwith   commas, yes'],
  ])
  const ssa = `[Script Info]\n[Events]\nFormat: Marked, Start, End, Style, Text\nDialogue: Marked=0,0:00:01.00,0:00:02.00,x,Hi, you\n`
  assert.deepEqual(told(ssa), [[1000, 2000, 'Hi, you']])
})

test('only text reaches the page', () => {
  const nasty =
    '1\n00:00:01,000 --> 00:00:02,000\n<script>alert(1)</script><img src=x onerror=alert(1)> a\u0000b\u202ec &lt;b&gt; <\n'
  const vtt = webVttOf(cuesOf(nasty), 0)
  assert.equal(vtt, 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nalert(1) abc &amp;lt;b&amp;gt; &lt;\n')
  const arrow = webVttOf([{ startMs: 0, endMs: 1000, text: '00:00:01.000 --> 00:00:09.000' }], 0)
  assert.equal(arrow.match(/-->/g)?.length, 1, 'a text is no line of times')
})

test('later and earlier', () => {
  const cues = cuesOf('1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:05,000 --> 01:00:00,000\nb\n')
  assert.equal(webVttOf(cues, 500), 'WEBVTT\n\n00:00:01.500 --> 00:00:02.500\na\n\n00:00:05.500 --> 00:10:05.500\nb\n')
  assert.equal(
    webVttOf(cues, -1500),
    'WEBVTT\n\n00:00:00.000 --> 00:00:00.500\na\n\n00:00:03.500 --> 00:10:03.500\nb\n',
  )
  assert.equal(webVttOf(cues, -2000).includes('\na\n'), false)
})

test('what is none, or is made to be slow, ends soon and has bounds', () => {
  const slow = [
    '',
    'no times at all',
    '-->'.repeat(500_000),
    `1\n00:00:01,000 --> 00:00:02,000\n${'<'.repeat(1_000_000)}`,
    `1\n00:00:01,000 --> 00:00:02,000\n${'{\\'.repeat(500_000)}`,
    `[Script Info]\nDialogue: ${'{'.repeat(1_000_000)}`,
    `[Script Info]\nDialogue: ${','.repeat(1_000_000)}`,
    '\n'.repeat(4_000_000),
    '00:00:01,000 --> 00:00:02,000 '.repeat(100_000),
  ]
  const before = performance.now()
  for (const text of slow) assert.ok(cuesOf(text).length <= 1)
  const many = '00:00:01,000 --> 00:00:02,000\nx\n'.repeat(100_000)
  assert.equal(cuesOf(many).length, MAX_CUES)
  assert.ok(performance.now() - before < 10_000)
  assert.ok((cuesOf(`00:00:01,000 --> 00:00:02,000\n${'x'.repeat(1_000_000)}`)[0]?.text.length ?? 0) <= 1000)
})

test('names', () => {
  for (const name of ['a.srt', 'a.VTT', 'b/c.ass', 'd.ssa']) assert.ok(SUBTITLE_NAME.test(name))
  for (const name of ['a.srt.exe', 'srt', 'a.sub']) assert.ok(!SUBTITLE_NAME.test(name))
})
