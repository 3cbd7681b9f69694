// Settings to a file and from one. What a file would change is listed with the changes that are not saved yet.

import { useId } from 'preact/hooks'
import { type Edits, editsIn } from '../../model/settings/settings-edits.ts'
import { MAX_FILE_BYTES, readSettingsFile, settingsFileText } from '../../model/settings/settings-file.ts'
import { langOf, type Sections, settingName, shownEdit, shownValue } from '../../model/settings/settings-view.ts'
import { saveText } from '../../node/commands.ts'
import { session } from '../../node/context.ts'
import { text } from '../../texts/node/settings.ts'

interface SettingsFileProps {
  readonly sections: Sections
  readonly edits: Edits
  /** A file was read: these are the edits with what it says. */
  imported(edits: Edits): void
}

/** Two buttons: one saves what was set as a file, one reads such a file. */
export function SettingsFile({ sections, edits, imported }: SettingsFileProps) {
  const id = useId()
  const read = async (file: File) => {
    const found = file.size > MAX_FILE_BYTES ? null : readSettingsFile(await file.text(), sections, edits)
    if (found === null) return session.notify(text('notSettings', { name: file.name }), 'bad')
    if (found.leftOut > 0) session.notify(text('leftOut', { count: found.leftOut }))
    else if (Object.keys(found.edits).length === 0) session.notify(text('sameAsFile'))
    imported(found.edits)
  }
  const save = () => saveText(settingsFileText(sections), 'tributary-settings.json', 'application/json')
  return (
    <div class="settings-file" role="group" aria-label={text('file')}>
      <button type="button" onClick={save}>
        {text('exportFile')}
      </button>
      <label class="button" for={id}>
        {text('importFile')}
      </label>
      <input
        id={id}
        class="visually-hidden"
        type="file"
        accept=".json,application/json"
        onChange={event => {
          const file = event.currentTarget.files?.item(0) ?? null
          if (file !== null) void session.attempt(() => read(file))
          event.currentTarget.value = ''
        }}
      />
      <p class="help">{text('fileHelp')}</p>
    </div>
  )
}

interface ChangeListProps {
  readonly sections: Sections
  readonly edits: Edits
  readonly isOpen: boolean
  toggle(isOpen: boolean): void
}

/** What a save would change, with the values before and after. */
export function ChangeList({ sections, edits, isOpen, toggle }: ChangeListProps) {
  return (
    <details class="change-list" open={isOpen} onToggle={event => toggle(event.currentTarget.open)}>
      <summary>{text('showChanges')}</summary>
      <ul>
        {editsIn(sections, edits).map(({ field, edit }) => (
          <li key={`${field.section}.${field.name}`}>
            <strong lang={langOf(settingName(field))}>{settingName(field).text}</strong>{' '}
            <bdi>{text('fromTo', { before: shownValue(field), after: shownEdit(field, edit.input) })}</bdi>
          </li>
        ))}
      </ul>
    </details>
  )
}
