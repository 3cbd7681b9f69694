// Subtitles for the browser, which knows WebVTT alone: SubRip is rewritten. Pure.

/** File names that can be shown as subtitles. */
export const SUBTITLE_NAME = /\.(vtt|srt)$/i

/** WebVTT of a WebVTT or SubRip text. */
export function toWebVtt(text: string): string {
  const plain = text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')
  if (plain.startsWith('WEBVTT')) return plain
  const times = plain.replaceAll(/(\d{2}:\d{2}:\d{2}),(\d{3})/g, '$1.$2')
  return `WEBVTT\n\n${times}`
}
