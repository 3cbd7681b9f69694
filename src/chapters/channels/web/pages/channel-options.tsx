// What the owner of a channel can change: its words, who may write, its end. For channels of others: the key to give
// their owner.

import { useState } from 'preact/hooks'
import type { Grant } from '../../client/routes.ts'
import { named } from '../model/channel-words.ts'
import { channelsHome } from '../model/channel-places.ts'
import {
  authorKey,
  changeChannel,
  type ChannelWords,
  grant,
  grantsOf,
  removeChannel,
} from '../node/channel-requests.ts'
import { go, session } from '../../../../web/node/context.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { ChannelFields } from '../parts/channel-fields.tsx'
import { CopyButton } from '../../../../web/parts/copy-button.tsx'
import { Dialog } from '../../../../web/parts/dialog.tsx'
import { Check, Field } from '../../../../web/parts/field.tsx'
import { Icon } from '../../../../web/parts/icons.tsx'
import type { ChannelPartProps } from './channel-part.ts'

function Words({ channel, changed }: ChannelPartProps) {
  const { name, description, mode } = channel
  const [words, setWords] = useState<ChannelWords>({ name, description, mode })
  const changes = {
    ...(words.name.trim() === name ? {} : { name: words.name.trim() }),
    ...(words.description === description ? {} : { description: words.description }),
    ...(words.mode === mode ? {} : { mode: words.mode }),
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    await session.attempt(() => changeChannel(channel.dispersy_cid, changes), 'Saved.')
    changed()
  }
  return (
    <form class="card options" aria-label="About the channel" onSubmit={event => void submit(event)}>
      <h2>About the channel</h2>
      <ChannelFields words={words} set={setWords} />
      <div class="form-actions">
        <button type="submit" class="primary" disabled={Object.keys(changes).length === 0 || words.name.trim() === ''}>
          Save
        </button>
      </div>
    </form>
  )
}

function GrantRow({ grant: row, take }: { grant: Grant; take: () => void }) {
  const rights = [row.add ? 'may add' : '', row.moderate ? 'may change what others added' : ''].filter(Boolean)
  return (
    <li class="feed" data-grant={row.contributor}>
      <div class="channel-text">
        <span class="mono tracker-url">{row.contributor}</span>
        <span class="sub">{rights.join(', ')}</span>
      </div>
      <button type="button" class="quiet" aria-label={`Take back from ${row.contributor.slice(0, 8)}`} onClick={take}>
        <Icon name="trash" size={16} />
      </button>
    </li>
  )
}

function Contributors({ channel }: ChannelPartProps) {
  const { dispersy_cid: cid } = channel
  const { value, problem, refresh } = useAnswer(signal => grantsOf(cid, signal), [cid], 0)
  const [key, setKey] = useState('')
  const [moderate, setModerate] = useState(false)
  const write = async (contributor: string, add: boolean, alsoModerate: boolean) => {
    const done = await session.attempt(() => grant(cid, contributor, add, alsoModerate))
    if (done) setKey('')
    refresh()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    void write(key.trim().toLowerCase(), true, moderate)
  }
  return (
    <section class="card" aria-labelledby="contributors">
      <h2 id="contributors">Who else may write</h2>
      {value === null && <p class="muted">{problem === '' ? 'Asking the node…' : problem}</p>}
      {value?.length === 0 && <p class="muted">Nobody by name.</p>}
      <ul class="feeds">
        {value?.map(row => (
          <GrantRow key={row.contributor} grant={row} take={() => void write(row.contributor, false, false)} />
        ))}
      </ul>
      <form class="options" aria-label="Let somebody write" onSubmit={submit}>
        <Field
          label="Their key"
          value={key}
          help="64 digits; their dashboard shows it in the options of this channel."
          set={setKey}
        />
        <Check label="They may also change and remove what others added" value={moderate} set={setModerate} />
        <div class="form-actions">
          <button type="submit" disabled={!/^[0-9a-f]{64}$/i.test(key.trim())}>
            Let them write
          </button>
        </div>
      </form>
    </section>
  )
}

function EndDialog({ channel, onClose }: { channel: ChannelPartProps['channel']; onClose: () => void }) {
  const submit = async (event: Event) => {
    event.preventDefault()
    onClose()
    if (await session.attempt(() => removeChannel(channel.dispersy_cid), 'The channel was ended.')) go(channelsHome)
  }
  return (
    <Dialog title="End the channel" onClose={onClose}>
      <form class="dialog-form" onSubmit={event => void submit(event)}>
        <p class="removed-name">
          <bdi>{named(channel.name, 'channel')}</bdi>
        </p>
        <p>Everything in it goes, here and at everybody who follows it. It cannot be brought back.</p>
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            Keep
          </button>
          <button type="submit" class="danger">
            End the channel
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function End({ channel }: ChannelPartProps) {
  const [asking, setAsking] = useState(false)
  return (
    <section class="card" aria-labelledby="end">
      <h2 id="end">End the channel</h2>
      <p class="muted">Its last word to everybody is that nothing is in it any more.</p>
      <div class="form-actions">
        <button type="button" onClick={() => setAsking(true)}>
          <Icon name="trash" size={16} /> End…
        </button>
      </div>
      {asking && <EndDialog channel={channel} onClose={() => setAsking(false)} />}
    </section>
  )
}

function OwnKey() {
  const { value, problem } = useAnswer(authorKey, [], 0)
  return (
    <section class="card" aria-labelledby="own-key">
      <h2 id="own-key">Your key</h2>
      <p class="muted">
        Under this key you write in channels of others. Give it to an owner who wants to let you write.
      </p>
      <p class="mono tracker-url">{value ?? (problem === '' ? 'Asking the node…' : problem)}</p>
      {value !== null && <CopyButton label="Copy" what="Key" text={() => value} />}
    </section>
  )
}

/** What the owner of a channel can change: its words, who may write, its end. */
export function ChannelOptions(props: ChannelPartProps) {
  return (
    <section aria-label="Options" class="cards">
      {props.channel.own ? (
        <>
          <Words key={props.channel.dispersy_cid} {...props} />
          <Contributors {...props} />
          <End {...props} />
        </>
      ) : (
        <OwnKey />
      )}
    </section>
  )
}
