// What `tributary doctor` finds of the node, by how much it matters, with what to do. Loaded when it is shown. The
// sentences of findings without a text in the language of the page are the node's, in English.

import { useState } from 'preact/hooks'
import type { CoreRoutes } from '../../../client/core-routes.ts'
import type { ReplyOf } from '../../../client/routes.ts'
import { readable } from '../../model/format.ts'
import { findingWords } from '../../model/node-words.ts'
import { languageTag } from '../../language/texts.ts'
import { session } from '../../node/context.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { Icon, type IconName } from '../../parts/icons.tsx'
import { text } from '../../texts/node/doctor.ts'
import '../../style/doctor.css'

type Report = ReplyOf<CoreRoutes, 'GET /debug/doctor'>
type Finding = Report['findings'][number]

const signs: Readonly<Record<Finding['state'], IconName>> = { problem: 'close', warning: 'warn', ok: 'check' }
const states: Readonly<Record<Finding['state'], string>> = {
  problem: text('problem'),
  warning: text('warning'),
  ok: text('ok'),
}
const checks: Readonly<Record<string, string>> = {
  certificate: text('certificate'),
  clock: text('clock'),
  database: text('database'),
  doctor: text('doctor'),
  hash: text('hash'),
  ffmpeg: text('media'),
  mounts: text('mounts'),
  'open-files': text('openFiles'),
  overlay: text('overlay'),
  permissions: text('permissions'),
  ports: text('ports'),
  program: text('program'),
  settings: text('settings'),
}

function OneFinding(finding: Finding) {
  const { state, check } = finding
  const { said, advice, isEnglish } = findingWords(finding)
  const spoken = isEnglish ? ({ lang: 'en', dir: 'ltr' } as const) : {}
  return (
    <li class={state}>
      <Icon name={signs[state]} />
      <strong>
        {states[state]} · {checks[check] ?? check}
      </strong>
      <bdi {...spoken}>{readable(said)}</bdi>
      {advice !== '' && (
        <span>
          {text('advice')} <bdi {...spoken}>{readable(advice)}</bdi>
        </span>
      )}
    </li>
  )
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul class="findings">
      {findings.map((finding, at) => (
        <OneFinding key={`${finding.check} ${at}`} {...finding} />
      ))}
    </ul>
  )
}

/** One sentence on all of it. */
function summaryOf({ findings, time: seconds }: Report): string {
  const time = new Date(seconds * 1000).toLocaleTimeString(languageTag())
  const countOf = (wanted: Finding['state']) => findings.filter(({ state }) => state === wanted).length
  if (countOf('problem') > 0) return text('problems', { count: countOf('problem'), time })
  if (countOf('warning') > 0) return text('warnings', { count: countOf('warning'), time })
  return text('healthy', { time })
}

function Groups({ findings }: Report) {
  const of = (wanted: Finding['state']) => findings.filter(({ state }) => state === wanted)
  const groups = [
    [text('problemGroup'), of('problem')],
    [text('warningGroup'), of('warning')],
  ] as const
  return (
    <>
      {groups
        .filter(([, found]) => found.length > 0)
        .map(([name, found]) => (
          <section key={name} aria-label={name}>
            <h2>{name}</h2>
            <Findings findings={found} />
          </section>
        ))}
      <details class="findings-ok" open={of('ok').length === findings.length}>
        <summary>{text('okGroup')}</summary>
        <Findings findings={of('ok')} />
      </details>
    </>
  )
}

/** Findings, and looking once more. */
export function DoctorPage() {
  const [isAsking, setAsking] = useState(false)
  const ask = async (signal: AbortSignal) => {
    setAsking(true)
    try {
      return await session.api.call('GET /debug/doctor', { signal })
    } finally {
      setAsking(false)
    }
  }
  const { value, problem, refresh } = useAnswer(ask, [], 0)
  return (
    <div class="page">
      <div class="doctor-head">
        <h1>{text('heading')}</h1>
        <button type="button" aria-disabled={isAsking} onClick={() => !isAsking && refresh()}>
          <Icon name="recheck" />
          {text('examine')}
        </button>
      </div>
      <p class="muted">{text('about')}</p>
      <p role="status">{isAsking ? text('examining') : problem || (value === null ? '' : summaryOf(value))}</p>
      {value !== null && <Groups {...value} />}
    </div>
  )
}
