// What is about to be added, a row each: what it is, whether it is known already, and which of its files are chosen.

import { useState } from 'preact/hooks'
import { bytes } from '../../model/format.ts'
import { Icon } from '../../parts/icons.tsx'
import { text } from '../../texts/downloads/adding.ts'
import { text as common } from '../../texts/parts.ts'
import { FileChoice } from './file-choice.tsx'
import type { Look, Looks, Source } from './use-looks.ts'

/** Rows that are shown; all are added. */
const MAX_ROWS = 50

/** Bytes of the files that are chosen; 0 where they are not known. */
export function chosenBytes({ found, chosen }: Look): number {
  if (found === undefined || chosen === undefined) return 0
  return found.files.reduce((sum, { index, size }) => sum + (chosen.has(index) ? size : 0), 0)
}

function Facts({ look }: { look: Look }) {
  const { state, reason, known = false, found, chosen } = look
  return (
    <span class="help" role="status" dir="auto">
      {state === 'looking' && text('looking')}
      {state === 'failed' && <span class="fault">{reason}</span>}
      {found !== undefined && (
        <span>
          {text('chosen', {
            count: found.files.length,
            chosen: chosen?.size ?? 0,
            size: bytes(chosenBytes(look)),
            all: bytes(found.files.reduce((sum, { size }) => sum + size, 0)),
          })}
          {found.private && ` · ${text('isPrivate')}`}
        </span>
      )}
      {known && <span class="known">{text('known')}</span>}
    </span>
  )
}

interface RowProps {
  readonly source: Source
  readonly looks: Looks
  /** It is all that is added. */
  readonly alone: boolean
  /** Null: it is a line of the text. */
  readonly leaveOut: (() => void) | null
}

interface LookButtonProps {
  readonly source: Source
  readonly looks: Looks
  readonly name: string
  /** Whether its files are shown. */
  readonly open: boolean
  setOpen(open: boolean): void
}

/** One button, whatever it does next: it keeps the focus while its files are looked for. */
function LookButton({ source, looks, name, open, setOpen }: LookButtonProps) {
  const { state } = looks.of(source)
  if (state === 'looking' && source.file !== null) return null
  const label = state === 'failed' ? text('tryAgain') : text('showFiles')
  const [shown, spoken, press] =
    state === 'looking'
      ? [text('stopLooking'), undefined, () => looks.stop(source)]
      : state === 'here'
        ? [text('chooseFiles'), text('chooseFilesOf', { name }), () => setOpen(!open)]
        : [label, `${label}: ${name}`, () => looks.look(source)]
  return (
    <button type="button" aria-label={spoken} aria-expanded={state === 'here' ? open : undefined} onClick={press}>
      {shown}
    </button>
  )
}

function SourceRow({ source, looks, alone, leaveOut }: RowProps) {
  const [opened, setOpened] = useState<boolean | null>(null)
  const look = looks.of(source)
  const name = look.found?.name ?? source.name
  const isOpen = opened ?? (alone && (look.found?.files.length ?? 0) > 1)
  return (
    <li class="source">
      <div class="source-line">
        <bdi class="source-name" title={name.slice(0, 500)}>
          {name}
        </bdi>
        <LookButton source={source} looks={looks} name={name} open={isOpen} setOpen={setOpened} />
        {leaveOut !== null && (
          <button type="button" class="quiet" aria-label={common('leaveOut', { name: source.name })} onClick={leaveOut}>
            <Icon name="close" size={14} />
          </button>
        )}
      </div>
      <Facts look={look} />
      {isOpen && look.tree !== undefined && look.chosen !== undefined && (
        <FileChoice name={name} tree={look.tree} chosen={look.chosen} choose={chosen => looks.choose(source, chosen)} />
      )}
    </li>
  )
}

interface SourceListProps {
  readonly sources: readonly Source[]
  readonly looks: Looks
  leaveOut(file: File): void
}

/** What is about to be added, a row each. */
export function SourceList({ sources, looks, leaveOut }: SourceListProps) {
  if (sources.length === 0) return null
  const hasLinks = sources.some(source => source.file === null && looks.of(source).state === 'not-asked')
  const left = sources.length - MAX_ROWS
  return (
    <div>
      <ul class="sources" aria-label={text('sources')}>
        {sources.slice(0, MAX_ROWS).map(source => {
          const { file } = source
          return (
            <SourceRow
              key={source.key}
              source={source}
              looks={looks}
              alone={sources.length === 1}
              leaveOut={file === null ? null : () => leaveOut(file)}
            />
          )
        })}
      </ul>
      {left > 0 && <p class="help">{text('andMore', { count: left })}</p>}
      {hasLinks && <p class="help">{text('lookHelp')}</p>}
    </div>
  )
}
