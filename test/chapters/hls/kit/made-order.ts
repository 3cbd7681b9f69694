// Orders of segments that were never planned.

import type { SegmentOrder } from '../../../../src/chapters/hls/core/samples.ts'

/** The second segment of a film with H.264 and AAC, from 4 to 8 s; `more`: what a test wants otherwise. */
export function madeOrder(more: Partial<SegmentOrder> = {}): SegmentOrder {
  return {
    container: 'matroska',
    packing: 'ts',
    isHead: false,
    number: 1,
    width: 0,
    height: 0,
    video: 1,
    videoCodec: 'h264',
    sound: 2,
    soundCodec: 'aac',
    soundRate: 48_000,
    soundMargin: 0,
    isFirst: false,
    start: 4,
    end: 8,
    startByte: 0,
    endByte: 0,
    backByte: 0,
    ...more,
  }
}
