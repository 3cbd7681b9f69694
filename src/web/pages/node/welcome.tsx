// What is asked once, after the first sign-in by a link: where downloads go, how fast the line is, whether the node
// starts with the system, and whether it has what it needs. Loaded when it is shown.

import { useEffect, useId, useState } from 'preact/hooks'
import { languageTag } from '../../language/texts.ts'
import { plainRate, readable } from '../../model/format.ts'
import { limitsFor } from '../../model/line-share.ts'
import { findingWords } from '../../model/node-words.ts'
import { addressOf } from '../../model/place.ts'
import { enteredRate, type RateUnit, rateOf, rateUnit } from '../../model/rate-entry.ts'
import { session } from '../../node/context.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { beginning, type Beginning, isFirstVisit, setBeginning } from '../../node/welcome.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { RateUnitChoice } from '../../parts/rate-unit-choice.tsx'
import { text } from '../../texts/node/welcome.ts'
import { FolderChoice } from '../adding/folder-choice.tsx'
import '../../style/adding.css'
import '../../style/welcome.css'

/** Findings that are shown; the page of the doctor has them all. */
const MAX_FINDINGS = 3
const SERVICE = 'sudo systemctl enable --now tributary'
const CONTAINER = 'restart: unless-stopped'
// Not at once: the program that answers here still runs, and two cannot share its folder.
const OWN = [
  'mkdir -p ~/.config/systemd/user',
  String.raw`printf '[Service]\nExecStart=%s start\n[Install]\nWantedBy=default.target\n' "$(command -v tributary)" > ~/.config/systemd/user/tributary.service`,
  'systemctl --user enable tributary',
  'loginctl enable-linger',
].join(' && ')

type Way = 'down' | 'up'

function LineSpeed({
  entered,
  unit,
  set,
  choose,
}: {
  entered: Readonly<Record<Way, string>>
  unit: RateUnit
  set: (way: Way, value: string) => void
  choose: (unit: RateUnit) => void
}) {
  const id = useId()
  const rates = { down: rateOf(entered.down, unit), up: rateOf(entered.up, unit) }
  const limits = limitsFor({ down: rates.down ?? 0, up: rates.up ?? 0 })
  const shown = (rate: number | null) => (rate === null ? text('unlimited') : plainRate(rate))
  const isWrong = rates.down === null || rates.up === null
  const isEmpty = limits.down === null && limits.up === null
  return (
    <>
      <div class="limit-fields">
        {(['down', 'up'] as const).map(way => (
          <label key={way} for={`${id}-${way}`}>
            <span>{text(way)}</span>
            <input
              id={`${id}-${way}`}
              inputMode="decimal"
              autocomplete="off"
              aria-invalid={rates[way] === null}
              aria-describedby={`${id}-said`}
              value={entered[way]}
              onInput={event => set(way, event.currentTarget.value)}
            />
          </label>
        ))}
      </div>
      <RateUnitChoice label={text('unit')} unit={unit} choose={choose} />
      <p id={`${id}-said`} class={isWrong ? 'fault' : 'help'} role="status">
        {isWrong
          ? text('notRate')
          : isEmpty
            ? text('lineHelp')
            : text('share', { down: shown(limits.down), up: shown(limits.up) })}
      </p>
    </>
  )
}

function Command({ about, command }: { about: string; command: string }) {
  return (
    <>
      <p class="help">{about}</p>
      <p class="welcome-command" dir="ltr">
        <code>{command}</code>
      </p>
      <CopyButton label={text('copy')} what={text('command')} text={() => command} />
    </>
  )
}

function Health({ onClose }: { onClose: () => void }) {
  const { value, problem } = useAnswer(signal => session.api.call('GET /debug/doctor', { signal }), [], 0)
  const wrong = value?.findings.filter(({ state }) => state !== 'ok') ?? []
  const said = value === null ? problem || text('looking') : wrong.length === 0 ? text('healthy') : ''
  return (
    <>
      <p role="status">{said}</p>
      {wrong.length > 0 && (
        <ul class="welcome-findings">
          {wrong.slice(0, MAX_FINDINGS).map((finding, at) => {
            const words = findingWords(finding)
            return (
              <li key={`${finding.code} ${at}`} {...(words.isEnglish ? { lang: 'en' } : {})} dir="auto">
                {readable(words.said)}
              </li>
            )
          })}
        </ul>
      )}
      {wrong.length > MAX_FINDINGS && <p>{text('more', { count: wrong.length - MAX_FINDINGS })}</p>}
      <a href={addressOf({ page: 'doctor' })} onClick={onClose}>
        {text('doctor')}
      </a>
    </>
  )
}

const none = { down: '', up: '' }

function WelcomeForm({ now, onClose }: { now: Beginning; onClose: () => void }) {
  const id = useId()
  const [folder, setFolder] = useState('')
  const [entered, setEntered] = useState<Readonly<Record<Way, string>>>(none)
  const [unit, setUnit] = useState(rateUnit('mbit'))
  const rates = { down: rateOf(entered.down, unit), up: rateOf(entered.up, unit) }
  const mark = (1.5).toLocaleString(languageTag()).charAt(1)
  const choose = (other: RateUnit) => {
    // The line stays as fast as it was; only how it is written changes.
    const written = (way: Way) => {
      const rate = rates[way]
      return rate === null ? entered[way] : enteredRate(rate, other, mark)
    }
    setEntered({ down: written('down'), up: written('up') })
    setUnit(other)
  }
  const submit = async () => {
    await setBeginning(folder.trim(), { down: rates.down ?? 0, up: rates.up ?? 0 })
    session.notify(text('saved'))
    onClose()
  }
  const ready = rates.down !== null && rates.up !== null
  const parts = { folders: `${id}-folders`, line: `${id}-line`, start: `${id}-start`, health: `${id}-health` }
  return (
    <DialogForm
      title={text('heading')}
      action={text('save')}
      refuse={text('skip')}
      ready={ready}
      submit={submit}
      onClose={onClose}
    >
      <div class="welcome">
        <p class="help">{text('about')}</p>
        <section aria-labelledby={parts.folders}>
          <h3 id={parts.folders}>{text('folders')}</h3>
          {now.heldFolder ? (
            <p class="help">{text('folderHeld', { path: now.folder })}</p>
          ) : (
            <FolderChoice folder={folder} size={0} set={setFolder} />
          )}
        </section>
        <section aria-labelledby={parts.line}>
          <h3 id={parts.line}>{text('line')}</h3>
          {now.heldLimits ? (
            <p class="help">{text('lineHeld')}</p>
          ) : (
            <LineSpeed
              entered={entered}
              unit={unit}
              set={(way, value) => setEntered({ ...entered, [way]: value })}
              choose={choose}
            />
          )}
        </section>
        <section aria-labelledby={parts.start}>
          <h3 id={parts.start}>{text('start')}</h3>
          {now.service ? (
            <>
              <Command about={text('startService')} command={SERVICE} />
              <p class="help">{text('startContainer')}</p>
              <p class="welcome-command" dir="ltr">
                <code>{CONTAINER}</code>
              </p>
            </>
          ) : (
            <Command about={text('startOwn')} command={OWN} />
          )}
        </section>
        <section aria-labelledby={parts.health}>
          <h3 id={parts.health}>{text('health')}</h3>
          <Health onClose={onClose} />
        </section>
      </div>
    </DialogForm>
  )
}

/**
 * The welcome; `isAsked`: from the settings, else only when this is the first visit. A node that does not say so, or a
 * key that may not set anything, has none.
 */
export function Welcome({ isAsked, onClose }: { isAsked: boolean; onClose: () => void }) {
  const { value: now, problem } = useAnswer(
    async signal => (isAsked || (await isFirstVisit(signal)) ? beginning(signal) : undefined),
    [isAsked],
    0,
  )
  const isOver = now === undefined || (now === null && problem !== '')
  useEffect(() => {
    if (!isOver) return
    if (isAsked) session.notify(problem, 'bad')
    onClose()
  }, [isOver])
  return now === null || now === undefined ? null : <WelcomeForm now={now} onClose={onClose} />
}
