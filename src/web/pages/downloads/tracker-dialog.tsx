// Asks for another address and tier of a tracker, and gives it those.

import { useId, useState } from 'preact/hooks'
import type { DownloadTracker } from '../../../client/core-routes.ts'
import { session } from '../../node/context.ts'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { Field } from '../../parts/field.tsx'
import { text } from '../../texts/downloads/trackers.ts'

interface TrackerDialogProps {
  readonly infohash: string
  readonly tracker: DownloadTracker
  /** How many tiers there are. */
  readonly tiers: number
  onClose(): void
}

interface TierChoiceProps {
  readonly tier: number
  readonly tiers: number
  set(tier: number): void
}

function TierChoice({ tier, tiers, set }: TierChoiceProps) {
  const [field, help] = [useId(), useId()]
  const numbers = Array.from({ length: tiers + 1 }, (_, number) => number)
  return (
    <div class="field">
      <label for={field}>{text('asked')}</label>
      <select
        id={field}
        value={tier}
        aria-describedby={help}
        onChange={event => set(Number(event.currentTarget.value))}
      >
        {numbers.map(number => (
          <option key={number} value={number}>
            {number === tiers ? text('tierOwn', { tier: number }) : text('tier', { tier: number })}
          </option>
        ))}
      </select>
      <p id={help} class="help">
        {text('askedHelp')}
      </p>
    </div>
  )
}

/** Asks for another address and tier of a tracker, and gives it those. */
export function TrackerDialog({ infohash, tracker, tiers, onClose }: TrackerDialogProps) {
  const [url, setUrl] = useState(tracker.url)
  const [tier, setTier] = useState(tracker.tier ?? 0)
  const wanted = url.trim()
  const save = async () => {
    const parameters = {
      url: tracker.url,
      ...(wanted !== tracker.url && { new_url: wanted }),
      ...(tier !== tracker.tier && { tier }),
    }
    await session.api.call('PATCH /downloads/{infohash}/trackers', { path: { infohash }, parameters })
    session.notify(text('trackerChanged'))
    onClose()
  }
  const ready = wanted !== '' && (wanted !== tracker.url || tier !== tracker.tier)
  return (
    <DialogForm title={text('edit')} action={text('save')} ready={ready} submit={save} onClose={onClose}>
      <Field label={text('address')} value={url} help={text('addressHelp')} set={setUrl} />
      <TierChoice tier={tier} tiers={tiers} set={setTier} />
    </DialogForm>
  )
}
