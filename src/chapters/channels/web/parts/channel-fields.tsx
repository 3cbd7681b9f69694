// Name, description and mode of a channel as fields.

import { useId } from 'preact/hooks'
import { modeChoices } from '../model/channel-page-words.ts'
import type { ChannelMode } from '../model/channel-words.ts'
import type { ChannelWords } from '../node/channel-requests.ts'
import { Field } from '../../../../web/parts/field.tsx'
import { text } from '../texts/channel.ts'

/** As src/chapters/channels/wire/types.ts; the node cuts what is longer. */
const MAX_DESCRIPTION = 1023

/** Name, description and mode of a channel as fields. */
export function ChannelFields({ words, set }: { words: ChannelWords; set: (words: ChannelWords) => void }) {
  const id = useId()
  return (
    <>
      <Field label={text('name')} value={words.name} set={name => set({ ...words, name })} />
      <div class="field">
        <label for={id}>{text('description')}</label>
        <textarea
          id={id}
          rows={3}
          maxLength={MAX_DESCRIPTION}
          value={words.description}
          onInput={event => set({ ...words, description: event.currentTarget.value })}
        />
      </div>
      <div class="field hop-choice">
        <label for={`${id}-mode`}>{text('mode')}</label>
        <select
          id={`${id}-mode`}
          value={words.mode}
          aria-describedby={`${id}-mode-help`}
          onChange={event => set({ ...words, mode: event.currentTarget.value as ChannelMode })}
        >
          {modeChoices.map(({ mode, name }) => (
            <option key={mode} value={mode}>
              {name}
            </option>
          ))}
        </select>
        <span id={`${id}-mode-help`} class="help">
          {modeChoices.find(({ mode }) => mode === words.mode)?.help}
        </span>
      </div>
    </>
  )
}
