// A film in a page, listened to: sound is heard and not only counted.

import type { Page } from 'playwright-core'
import { untilInPage } from '../../kit/nodes/browser.ts'

/** The element of the film, an expression of the page. */
export const VIDEO = `document.querySelector('video')`
/** The page repacks the film. */
export const BY_PAGE = `(${VIDEO}?.src ?? '').startsWith('blob:')`

/** The loudest frequency that the film sounds with, Hz; 0: it is silent. An expression of the page. */
export const LOUDEST = `(() => {
  if (globalThis.ear === undefined) {
    const context = new AudioContext()
    const analyser = new AnalyserNode(context, { fftSize: 8192 })
    context.createMediaElementSource(${VIDEO}).connect(analyser).connect(context.destination)
    globalThis.ear = { context, analyser }
  }
  const { context, analyser } = ear
  const levels = new Float32Array(analyser.frequencyBinCount)
  analyser.getFloatFrequencyData(levels)
  const loudest = levels.indexOf(Math.max(...levels))
  return Math.max(...levels) < -60 ? 0 : loudest * context.sampleRate / analyser.fftSize
})()`

/** It sounds with a frequency, Hz. An expression of the page. */
export const sounds = (hz: number): string => `Math.abs(${LOUDEST} - ${hz}) < 15`

/** Waits until it sounds with a frequency, Hz. */
export const untilHeard = (page: Page, hz: number): Promise<void> => untilInPage(page, sounds(hz), 10_000)
