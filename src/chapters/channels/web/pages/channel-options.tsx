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
import { text } from '../texts/channel.ts'
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
    await session.attempt(() => changeChannel(channel.dispersy_cid, changes), text('saved'))
    changed()
  }
  return (
    <form class="card options" aria-label={text('about')} onSubmit={event => void submit(event)}>
      <h2>{text('about')}</h2>
      <ChannelFields words={words} set={setWords} />
      <div class="form-actions">
        <button type="submit" class="primary" disabled={Object.keys(changes).length === 0 || words.name.trim() === ''}>
          {text('save')}
        </button>
      </div>
    </form>
  )
}

function GrantRow({ grant: row, take }: { grant: Grant; take: () => void }) {
  const rights = [row.add ? text('mayAddRight') : '', row.moderate ? text('mayModerateRight') : ''].filter(Boolean)
  return (
    <li class="feed" data-grant={row.contributor}>
      <div class="channel-text">
        <span class="mono tracker-url">{row.contributor}</span>
        <span class="sub">{rights.join(', ')}</span>
      </div>
      <button
        type="button"
        class="quiet"
        aria-label={text('takeBack', { key: row.contributor.slice(0, 8) })}
        onClick={take}
      >
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
      <h2 id="contributors">{text('contributors')}</h2>
      {value === null && <p class="muted">{problem === '' ? text('asking') : problem}</p>}
      {value?.length === 0 && <p class="muted">{text('noContributors')}</p>}
      <ul class="feeds">
        {value?.map(row => (
          <GrantRow key={row.contributor} grant={row} take={() => void write(row.contributor, false, false)} />
        ))}
      </ul>
      <form class="options" aria-label={text('allow')} onSubmit={submit}>
        <Field label={text('theirKey')} value={key} help={text('theirKeyHelp')} set={setKey} />
        <Check label={text('moderate')} value={moderate} set={setModerate} />
        <div class="form-actions">
          <button type="submit" disabled={!/^[0-9a-f]{64}$/i.test(key.trim())}>
            {text('allowThem')}
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
    if (await session.attempt(() => removeChannel(channel.dispersy_cid), text('ended'))) go(channelsHome)
  }
  return (
    <Dialog title={text('end')} onClose={onClose}>
      <form class="dialog-form" onSubmit={event => void submit(event)}>
        <p class="removed-name">
          <bdi>{named(channel.name, 'channel')}</bdi>
        </p>
        <p>{text('endWarning')}</p>
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            {text('cancel')}
          </button>
          <button type="submit" class="danger">
            {text('end')}
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
      <h2 id="end">{text('end')}</h2>
      <p class="muted">{text('endAbout')}</p>
      <div class="form-actions">
        <button type="button" onClick={() => setAsking(true)}>
          <Icon name="trash" size={16} /> {text('endButton')}
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
      <h2 id="own-key">{text('ownKey')}</h2>
      <p class="muted">{text('ownKeyAbout')}</p>
      <p class="mono tracker-url">{value ?? (problem === '' ? text('asking') : problem)}</p>
      {value !== null && <CopyButton label={text('copy')} what={text('key')} text={() => value} />}
    </section>
  )
}

/** What the owner of a channel can change: its words, who may write, its end. */
export function ChannelOptions(props: ChannelPartProps) {
  return (
    <section aria-label={text('options')} class="cards">
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
