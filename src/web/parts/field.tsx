// A line of text with its label and, below it, what it means.

import { useId } from 'preact/hooks'

interface FieldProps {
  readonly label: string
  readonly value: string
  /** The text under it; read with the field. */
  readonly help?: string
  readonly placeholder?: string
  readonly numeric?: boolean
  set(value: string): void
}

/** A line of text with its label and, below it, what it means. */
export function Field({ label, value, help = '', placeholder = '', numeric = false, set }: FieldProps) {
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
        aria-describedby={help === '' ? undefined : `${id}-help`}
        onInput={event => set(event.currentTarget.value)}
      />
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
