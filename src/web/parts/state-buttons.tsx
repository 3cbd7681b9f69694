// What is done to one download or to several: let them run, stop them, check them, remove them.

import type { ComponentChildren } from 'preact'
import { change, each } from '../node/commands.ts'
import { session } from '../node/context.ts'
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
  const to = (state: 'resume' | 'stop' | 'recheck') =>
    void session.attempt(() => each(infohashes, infohash => change(infohash, { state })))
  return (
    <>
      {resume !== 'none' && (
        <button type="button" class={resume === 'primary' ? 'primary' : ''} onClick={() => to('resume')}>
          <Icon name="play" size={16} /> Resume
        </button>
      )}
      {stop && (
        <button type="button" onClick={() => to('stop')}>
          <Icon name="pause" size={16} /> Stop
        </button>
      )}
      {children}
      <button type="button" onClick={() => to('recheck')}>
        <Icon name="recheck" size={16} /> Recheck
      </button>
      <button type="button" onClick={remove}>
        <Icon name="trash" size={16} /> Remove
      </button>
    </>
  )
}
