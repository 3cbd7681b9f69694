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

/** Long enough for a tone, ms. */
const RECORDED_MS = 700

/**
 * It sounds with a frequency, Hz, where no sound device is and pages may not listen to what would go there (Firefox):
 * what the element plays is recorded a while, and that is looked at. An expression of the page, asked until it is true.
 */
export const recorded = (hz: number): string => `(() => {
  if (globalThis.tape === undefined) {
    globalThis.tape = { loudest: null }
    const sound = new MediaStream(${VIDEO}.mozCaptureStream().getAudioTracks())
    const recorder = new MediaRecorder(sound)
    const look = async data => {
      const context = new OfflineAudioContext(1, 48000, 48000)
      const node = new AnalyserNode(context, { fftSize: 8192 })
      const buffer = await context.decodeAudioData(await data.arrayBuffer())
      const source = new AudioBufferSourceNode(context, { buffer, loop: true })
      source.connect(node).connect(context.destination)
      source.start()
      await context.startRendering()
      const levels = new Float32Array(node.frequencyBinCount)
      node.getFloatFrequencyData(levels)
      const most = Math.max(...levels)
      tape.loudest = most < -60 ? 0 : levels.indexOf(most) * context.sampleRate / node.fftSize
    }
    recorder.ondataavailable = ({ data }) => look(data).catch(() => (tape.loudest = 0))
    recorder.start()
    setTimeout(() => recorder.stop(), ${RECORDED_MS})
    return false
  }
  const { loudest } = tape
  // What was played before is no witness for what is asked next.
  if (loudest !== null) globalThis.tape = undefined
  return loudest !== null && Math.abs(loudest - ${hz}) < 15
})()`

/** Waits until it sounds with a frequency, Hz. */
export const untilHeard = (page: Page, hz: number): Promise<void> => untilInPage(page, sounds(hz), 10_000)
