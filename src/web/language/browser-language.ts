// Loaded before all else. Browsers that take their language from the system say `C` where that has none (WebKitGTK):
// no tag of a language, with which the package uplot would end the page before it has begun.

try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true })
}
