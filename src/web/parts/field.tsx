// A line of text with its label and, below it, what it means.

import { useId } from 'preact/hooks'

interface FieldProps {
  readonly label: string
  readonly value: string
  /** The text under it; read with the field. */
  readonly help?: string
  readonly placeholder?: string
  readonly numeric?: boolean
  /** Values to choose from, besides what is typed. */
  readonly choices?: readonly string[]
  set(value: string): void
}

/** A line of text with its label and, below it, what it means. */
export function Field(props: FieldProps) {
  const { label, value, help = '', placeholder = '', numeric = false, choices = [], set } = props
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        value={value}
        placeholder={placeholder}
        inputMode={numeric ? 'decimal' : 'text'}
        spellcheck={false}
        list={choices.length > 0 ? `${id}-choices` : undefined}
        aria-describedby={help === '' ? undefined : `${id}-help`}
        onInput={event => set(event.currentTarget.value)}
      />
      {choices.length > 0 && (
        <datalist id={`${id}-choices`}>
          {choices.map(choice => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      {help !== '' && (
        <span id={`${id}-help`} class="help">
          {help}
        </span>
      )}
    </div>
  )
}

interface CheckProps {
  readonly label: string
  readonly value: boolean
  set(value: boolean): void
}

/** A box that is ticked or not, with its label behind it. */
export function Check({ label, value, set }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={value} onChange={event => set(event.currentTarget.checked)} />
      {label}
    </label>
  )
}
