// What is done to one download or to several: let them run, stop them, check them, remove them.

import type { ComponentChildren } from 'preact'
import { change } from '../node/commands.ts'
import { forMany } from '../node/many.ts'
import { text } from '../texts/downloads/list.ts'
import { Icon } from './icons.tsx'

interface StateButtonsProps {
  readonly infohashes: readonly string[]
  /** Which of the first two there are; one that would do nothing is left out. */
  readonly resume: 'primary' | 'plain' | 'none'
  readonly stop: boolean
  /** Between these two and the others. */
  readonly children?: ComponentChildren
  remove(): void
}

/** What is done to one download or to several: let them run, stop them, check them, remove them. */
export function StateButtons({ infohashes, resume, stop, children, remove }: StateButtonsProps) {
  const to = (state: 'resume' | 'stop' | 'recheck') => void forMany(infohashes, infohash => change(infohash, { state }))
  return (
    <>
      {resume !== 'none' && (
        <button type="button" class={resume === 'primary' ? 'primary' : ''} onClick={() => to('resume')}>
          <Icon name="play" size={16} /> {text('resume')}
        </button>
      )}
      {stop && (
        <button type="button" onClick={() => to('stop')}>
          <Icon name="pause" size={16} /> {text('stop')}
        </button>
      )}
      {children}
      <button type="button" onClick={() => to('recheck')}>
        <Icon name="recheck" size={16} /> {text('recheck')}
      </button>
      <button type="button" onClick={remove}>
        <Icon name="trash" size={16} /> {text('remove')}
      </button>
    </>
  )
}
