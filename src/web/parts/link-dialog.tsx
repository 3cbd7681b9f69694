// Gives a link of a film or a playlist away: for days, or until it is taken back here, where all that were given stand,
// each with its code for a camera.

import { useId, useState } from 'preact/hooks'
import { dateTime } from '../model/format.ts'
import { giveLink, givenLinks, linkAddress, takeLink } from '../node/commands.ts'
import { session } from '../node/context.ts'
import { useAnswer } from '../node/use-answer.ts'
import { copyText } from './copy-button.tsx'
import { DialogForm } from './dialog-form.tsx'
import { Check, Field } from './field.tsx'
import { Icon } from './icons.tsx'
import { LaterCode } from './show-code.tsx'
import { text } from '../texts/links.ts'

const lengths: readonly (readonly [days: number, name: string])[] = [
  [7, text('aWeek')],
  [30, text('aMonth')],
  [365, text('aYear')],
  [0, text('always')],
]

interface LinkDialogProps {
  readonly infohash: string
  /** Null: the playlist of the download. */
  readonly file: number | null
  /** What it opens, for people. */
  readonly what: string
  onClose(): void
}

function GivenList({ changed }: { changed: number }) {
  const [shown, setShown] = useState('')
  const { value: links, problem, refresh } = useAnswer(signal => givenLinks(signal), [changed], 0)
  if (links === null || links.length === 0) return problem === '' ? null : <p class="muted">{problem}</p>
  const take = async (id: string) => {
    await takeLink(id)
    refresh()
  }
  return (
    <ul class="given-links" aria-label={text('given')}>
      {links.map(({ id, name, of, ends, url, one_device: isForOne, device }) => (
        <li key={id}>
          <span>
            <bdi>{name}</bdi>
            <span class="muted">
              {' '}
              <bdi>{of.split('/').at(-1)}</bdi> ·{' '}
              {ends === 0 ? text('withoutEnd') : text('until', { time: dateTime(ends) })}
              {isForOne && ` · ${text('forDevice', { device: device === '' ? text('notOpened') : device })}`}
            </span>
          </span>
          <button
            type="button"
            class="quiet"
            aria-label={text('copyFor', { name })}
            onClick={() => void copyText(linkAddress(url), text('link'))}
          >
            <Icon name="link" size={16} />
          </button>
          <button
            type="button"
            class="quiet"
            aria-label={text('codeFor', { name })}
            aria-expanded={shown === id}
            onClick={() => setShown(shown === id ? '' : id)}
          >
            <Icon name="code" size={16} />
          </button>
          <button type="button" onClick={() => void session.attempt(() => take(id), text('taken'))}>
            {text('takeBack')}
          </button>
          {shown === id && <LaterCode url={linkAddress(url)} />}
        </li>
      ))}
    </ul>
  )
}

/** A dialog that makes, lists and takes back links. */
export function LinkDialog({ infohash, file, what, onClose }: LinkDialogProps) {
  const [name, setName] = useState('')
  const [days, setDays] = useState(30)
  const [isForOne, setForOne] = useState(false)
  const [changed, setChanged] = useState(0)
  const field = useId()
  const submit = async () => {
    const { url } = await giveLink(infohash, file, { name, days, one_device: isForOne })
    await copyText(linkAddress(url), text('link'))
    setName('')
    setChanged(changed + 1)
  }
  return (
    <DialogForm
      title={text('title')}
      action={text('make')}
      ready={name.trim() !== ''}
      submit={submit}
      onClose={onClose}
    >
      <p class="removed-name">
        <bdi>{what}</bdi>
      </p>
      <Field label={text('for')} value={name} placeholder={text('forExample')} help={text('forHelp')} set={setName} />
      <div class="field">
        <label for={field}>{text('opens')}</label>
        <select id={field} value={String(days)} onChange={event => setDays(Number(event.currentTarget.value))}>
          {lengths.map(([each, length]) => (
            <option key={each} value={String(each)}>
              {length}
            </option>
          ))}
        </select>
      </div>
      <Check label={text('oneDevice')} value={isForOne} set={setForOne} />
      <GivenList changed={changed} />
    </DialogForm>
  )
}
