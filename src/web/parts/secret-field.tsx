// A field for a secret: what is typed is not shown, nor kept by the browser.

import { useId } from 'preact/hooks'

interface SecretFieldProps {
  readonly label: string
  readonly value: string
  readonly help?: string
  set(value: string): void
}

/** A field for a secret: what is typed is not shown, nor kept by the browser. */
export function SecretField({ label, value, help = '', set }: SecretFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="password"
        autocomplete="off"
        value={value}
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
