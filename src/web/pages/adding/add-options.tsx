// What all that is added has in common: labels, whether it starts, its order, limits and hops; and, once for this
// browser, that magnet links open the dashboard.

import { useState } from 'preact/hooks'
import { type AddFields, limitOf } from '../../model/adding.ts'
import { addressOf } from '../../node/api.ts'
import { Check, Field } from '../../parts/field.tsx'
import { HopChoice } from '../../parts/hop-choice.tsx'
import { text } from '../../texts/downloads/adding.ts'

/** Lets the browser open magnet links here; asked for by a press alone. */
function MagnetLinks() {
  const [asked, setAsked] = useState(false)
  // Old browsers and most phones have it not, and none has it where the page is not secure.
  const isThere = 'registerProtocolHandler' in navigator
  const help = !globalThis.isSecureContext
    ? text('magnetsInsecure')
    : isThere
      ? text('magnetsHelp')
      : text('magnetsUnknown')
  const ask = () => {
    // The browser puts the link, encoded, in the place of %s.
    navigator.registerProtocolHandler('magnet', `${addressOf('')}#/add/%s`)
    setAsked(true)
  }
  return (
    <div class="field">
      <div>
        <button type="button" disabled={!globalThis.isSecureContext || !isThere} onClick={ask}>
          {text('magnets')}
        </button>
      </div>
      <span class="help" role="status">
        {asked ? text('magnetsAsked') : help}
      </span>
    </div>
  )
}

interface AddOptionsProps {
  readonly fields: AddFields
  set(fields: AddFields): void
}

/** What all that is added has in common. */
export function AddOptions({ fields, set }: AddOptionsProps) {
  const limitHelp = (typed: string) => text(limitOf(typed) === null ? 'limitWrong' : 'limitHelp')
  return (
    <>
      <Check label={text('paused')} value={fields.paused} set={paused => set({ ...fields, paused })} />
      <HopChoice hops={fields.hops} withDefault set={hops => set({ ...fields, hops })} />
      <details class="more">
        <summary>{text('options')}</summary>
        <div class="more-fields">
          <Field
            label={text('labels')}
            value={fields.labels}
            placeholder={text('labelsExample')}
            set={labels => set({ ...fields, labels })}
          />
          <Check label={text('inOrder')} value={fields.sequential} set={sequential => set({ ...fields, sequential })} />
          <Check label={text('forget')} value={fields.forgets} set={forgets => set({ ...fields, forgets })} />
          <Field
            label={text('limitDown')}
            value={fields.down}
            numeric
            help={limitHelp(fields.down)}
            set={down => set({ ...fields, down })}
          />
          <Field
            label={text('limitUp')}
            value={fields.up}
            numeric
            help={limitHelp(fields.up)}
            set={up => set({ ...fields, up })}
          />
          <MagnetLinks />
        </div>
      </details>
    </>
  )
}
