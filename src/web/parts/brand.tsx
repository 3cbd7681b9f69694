// The name and its sign: two streams that become one.

/** Not translated. */
const NAME = 'Tributary'

/** Sign and name. */
export function Brand() {
  return (
    <span class="brand">
      <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <path class="brand-a" d="M6 4c0 9 10 8 10 16v8" />
        <path class="brand-b" d="M26 4c0 9-10 8-10 16v8" />
      </svg>
      <span>{NAME}</span>
    </span>
  )
}
