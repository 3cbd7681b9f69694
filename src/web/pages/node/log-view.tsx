// The end of the node's log: narrowed by level, part and words, followed until it is paused.

import { useMemo, useState } from 'preact/hooks'
import { languageTag } from '../../language/texts.ts'
import {
  LOG_LEVELS,
  type LogChoice,
  type LogLevel,
  type LogLine,
  partsOf,
  readLogLine,
  wantedLines,
} from '../../model/log-lines.ts'
import { session } from '../../node/context.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { text } from '../../texts/node/events.ts'

const LOG_MS = 3000
const LOG_LINES = 500

const levels: Readonly<Record<LogLevel, string>> = {
  debug: text('debug'),
  info: text('info'),
  warn: text('warn'),
  error: text('error'),
}
const andWorse: Readonly<Record<LogLevel, string>> = {
  debug: text('fromDebug'),
  info: text('fromInfo'),
  warn: text('fromWarn'),
  error: text('fromError'),
}

function timeOf(atMs: number | null): string {
  return atMs === null ? '' : new Date(atMs).toLocaleString(languageTag(), { dateStyle: 'short', timeStyle: 'medium' })
}

interface ToolsProps {
  readonly choice: LogChoice
  readonly parts: readonly string[]
  readonly isPaused: boolean
  choose(change: Partial<LogChoice>): void
  pause(): void
}

function LogTools({ choice, parts, isPaused, choose, pause }: ToolsProps) {
  return (
    <div class="event-tools">
      <label>
        <span>{text('level')}</span>
        <select value={choice.level} onChange={event => choose({ level: event.currentTarget.value as LogLevel })}>
          {LOG_LEVELS.map(level => (
            <option key={level} value={level}>
              {andWorse[level]}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{text('part')}</span>
        <select value={choice.part} onChange={event => choose({ part: event.currentTarget.value })}>
          <option value="">{text('allParts')}</option>
          {[...new Set([...parts, choice.part])]
            .filter(part => part !== '')
            .map(part => (
              <option key={part} value={part}>
                {part}
              </option>
            ))}
        </select>
      </label>
      <label>
        <span>{text('logWords')}</span>
        <input type="search" value={choice.words} onInput={event => choose({ words: event.currentTarget.value })} />
      </label>
      <button type="button" aria-pressed={isPaused} onClick={pause}>
        {text('pause')}
      </button>
    </div>
  )
}

function LogLines({ lines }: { lines: readonly LogLine[] }) {
  return (
    <ol class="log log-lines" tabIndex={0} aria-label={text('lines')}>
      {lines.map(({ atMs, level, part, text: said }, at) => (
        <li key={lines.length - at} class={level}>
          <span class="number">{timeOf(atMs)}</span> <strong>{levels[level]}</strong>{' '}
          {part !== '' && <span class="muted">{part} </span>}
          <bdi dir="ltr">{said}</bdi>
        </li>
      ))}
    </ol>
  )
}

/** The log, and what narrows it. */
export function LogView() {
  const [choice, setChoice] = useState<LogChoice>({ level: 'debug', part: '', words: '' })
  const [held, hold] = useState<readonly LogLine[] | null>(null)
  const ask = (signal: AbortSignal) =>
    session.api.call('GET /debug/log', { parameters: { process: 'core', max_lines: LOG_LINES }, signal })
  const { value, problem } = useAnswer(ask, [], LOG_MS)
  const content = value?.content ?? ''
  const now = useMemo(() => {
    const lines = content.split('\n').filter(line => line !== '')
    return lines.map(readLogLine).toReversed()
  }, [content])
  const lines = held ?? now
  const wanted = useMemo(() => wantedLines(lines, choice), [lines, choice])
  if (value === null) return <p class="nothing muted">{problem || text('loading')}</p>
  return (
    <>
      <LogTools
        choice={choice}
        parts={partsOf(lines)}
        isPaused={held !== null}
        choose={change => setChoice({ ...choice, ...change })}
        pause={() => hold(held === null ? now : null)}
      />
      <p role="status" class="muted">
        {problem || (held === null ? '' : text('paused'))}
      </p>
      {wanted.length === 0 ? (
        <p class="nothing muted">{lines.length === 0 ? text('emptyLog') : text('noLine')}</p>
      ) : (
        <LogLines lines={wanted} />
      )}
    </>
  )
}
