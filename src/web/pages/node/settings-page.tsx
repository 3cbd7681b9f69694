// The page of the settings of the node, as its own schema describes them.

import { fieldsOf, type OptionSchema } from '../../model/settings/settings-form.ts'
import type { Sections } from '../../model/settings/settings-view.ts'
import { session } from '../../node/context.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { LanguageChoice } from '../../parts/language-choice.tsx'
import { LaterPage } from '../../parts/later-page.tsx'
import { text } from '../../texts/node/settings.ts'
import { SettingsForm } from './settings-form.tsx'

interface Schemas {
  readonly components: {
    readonly schemas: {
      readonly Settings: {
        readonly properties: Readonly<Record<string, { readonly properties?: Readonly<Record<string, OptionSchema>> }>>
      }
    }
  }
}

async function readSettings(signal: AbortSignal): Promise<{ file: string; sections: Sections }> {
  const [effective, document] = await Promise.all([
    session.api.call('GET /settings/effective', { signal }),
    session.api.open('GET /docs/openapi.json', { signal }),
  ])
  const { components } = (await document.json()) as Schemas
  return {
    file: effective.file,
    sections: fieldsOf(components.schemas.Settings.properties, effective.settings),
  }
}

const askWelcome = () => {
  session.welcome.value = 'asked'
}

const loadDevices = async () => (await import('./devices.tsx')).Devices

/** The settings of the node, as its own schema describes them. */
export function SettingsPage() {
  const { value, problem, refresh } = useAnswer(readSettings, [], 0)
  return (
    <div class="page settings">
      <h1>{text('settings')}</h1>
      <LanguageChoice />
      <p>
        <button type="button" onClick={askWelcome}>
          {text('welcome')}
        </button>
      </p>
      <LaterPage load={loadDevices} shown={{}} />
      {value === null ? (
        <p class="muted">{problem || text('loading')}</p>
      ) : (
        <SettingsForm file={value.file} sections={value.sections} reload={refresh} />
      )}
    </div>
  )
}
