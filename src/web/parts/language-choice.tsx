// The language of the dashboard in this browser.

import { useId } from 'preact/hooks'
import { chooseLanguage, chosenTag, languages } from '../language/languages.ts'
import { text } from '../texts/language.ts'

/** The choice; the page is loaded again in the language that was chosen. */
export function LanguageChoice() {
  const id = useId()
  const choose = (tag: string) => {
    chooseLanguage(tag === '' ? null : tag)
    location.reload()
  }
  return (
    <div class="field language-choice">
      <label for={id}>{text('language')}</label>
      <select
        id={id}
        value={chosenTag() ?? ''}
        aria-describedby={`${id}-help`}
        onChange={event => choose(event.currentTarget.value)}
      >
        <option value="">{text('browser')}</option>
        {languages.map(({ tag, name }) => (
          <option key={tag} value={tag} lang={tag}>
            {name}
          </option>
        ))}
      </select>
      <span id={`${id}-help`} class="help">
        {text('help')}
      </span>
    </div>
  )
}
