// Which subtitles are shown, and how: their encoding, their time, their size.

import { useId } from 'preact/hooks'
import { encodingNames } from '../../model/subtitles/encoding-names.ts'
import { textsName } from '../../model/film/sound-names.ts'
import { text } from '../../texts/player.ts'
import type { FilmTexts } from './use-film-texts.ts'
import type { Subtitles } from './use-subtitles.ts'

/** Sizes of subtitles, percent; style/player.css has a rule for each. */
export type SubtitleSize = 75 | 100 | 150 | 200
const sizes: readonly SubtitleSize[] = [75, 100, 150, 200]
const STEP_SEC = 0.25

interface SubtitleToolsProps {
  readonly subtitles: Subtitles
  readonly texts: FilmTexts
  readonly size: SubtitleSize
  setSize(size: SubtitleSize): void
}

/** Values of the choice: files by their numbers, tracks of the film behind this letter. */
const INNER = 't'

function Choice({ subtitles, texts }: Pick<SubtitleToolsProps, 'subtitles' | 'texts'>) {
  const { choices, source } = subtitles
  const { tracks, chosen } = texts
  if (choices.length === 0 && tracks.length === 0 && source === null) return null
  const own = source !== null && source.index === null
  const file = source === null ? '' : own ? 'own' : String(source.index)
  const choose = (value: string) => {
    if (value === 'own') return
    texts.choose(tracks.find(({ id }) => value === `${INNER}${id}`) ?? null)
    subtitles.choose(choices.find(each => value === String(each.index)) ?? null)
  }
  return (
    <label class="subtitle-choice">
      {text('subtitles')}
      <select
        value={chosen === null ? file : `${INNER}${chosen.id}`}
        onChange={({ currentTarget: { value } }) => choose(value)}
      >
        <option value="">{text('none')}</option>
        {own && <option value="own">{source.name}</option>}
        {tracks.map((track, at) => (
          <option key={`${INNER}${track.id}`} value={`${INNER}${track.id}`}>
            {textsName(track, at)}
          </option>
        ))}
        {choices.map(each => (
          <option key={each.index} value={String(each.index)}>
            {each.name}
          </option>
        ))}
      </select>
    </label>
  )
}

function OwnFile({ open }: Pick<Subtitles, 'open'>) {
  const field = useId()
  return (
    <span class="file-pick">
      <label for={field} class="button" title={text('subtitleFileHelp')}>
        {text('subtitleFile')}
      </label>
      <input
        id={field}
        class="visually-hidden"
        type="file"
        accept=".srt,.vtt,.ass,.ssa"
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          if (file !== undefined) open(file)
          currentTarget.value = ''
        }}
      />
    </span>
  )
}

function Adjust({ subtitles, texts, size, setSize }: SubtitleToolsProps) {
  const { encoding, offsetSec, readAs, move } = subtitles
  return (
    <>
      {texts.chosen === null && (
        <label class="subtitle-choice">
          {text('encoding')}
          <select value={encoding} onChange={event => readAs(event.currentTarget.value)}>
            {encodingNames.map(([label, name]) => (
              <option key={label} value={label}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <span class="subtitle-choice" role="group" aria-label={text('subtitleTime')}>
        <button type="button" aria-label={text('earlier')} onClick={() => move(offsetSec - STEP_SEC)}>
          −
        </button>
        <output class="number">
          {text('offset', { seconds: `${offsetSec > 0 ? '+' : ''}${offsetSec.toFixed(2)}` })}
        </output>
        <button type="button" aria-label={text('later')} onClick={() => move(offsetSec + STEP_SEC)}>
          +
        </button>
      </span>
      <label class="subtitle-choice">
        {text('size')}
        <select value={String(size)} onChange={event => setSize(sizeOf(event.currentTarget.value))}>
          {sizes.map(each => (
            <option key={each} value={String(each)}>
              {each} %
            </option>
          ))}
        </select>
      </label>
    </>
  )
}

/** The size of a text; 100 where it is none. */
export function sizeOf(text: string | null): SubtitleSize {
  return sizes.find(size => String(size) === text) ?? 100
}

/** All of it; encoding (of files), time and size only while something is shown. */
export function SubtitleTools(props: SubtitleToolsProps) {
  return (
    <>
      <Choice subtitles={props.subtitles} texts={props.texts} />
      <OwnFile open={props.subtitles.open} />
      {(props.subtitles.source !== null || props.texts.chosen !== null) && <Adjust {...props} />}
    </>
  )
}
