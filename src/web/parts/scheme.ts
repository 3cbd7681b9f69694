// The colours of the style sheet for what is drawn by hand, and the change between light and dark.

import { useEffect, useState } from 'preact/hooks'

/** The value that a colour of the style sheet has in `element` now; `name` without the dashes. */
export function colorIn(element: HTMLElement, name: string): string {
  const before = element.style.color
  element.style.color = `var(--${name})`
  const { color } = getComputedStyle(element)
  element.style.color = before
  return color
}

/** Grows with every change between light and dark. */
export function useScheme(): number {
  const [version, setVersion] = useState(0)
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)')
    const changed = () => setVersion(value => value + 1)
    query.addEventListener('change', changed)
    return () => query.removeEventListener('change', changed)
  }, [])
  return version
}
