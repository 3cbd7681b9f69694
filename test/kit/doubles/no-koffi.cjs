// Required into a node under test: the package that calls `_exit` cannot be loaded.

const { dlopen } = process
process.dlopen = (module, file, ...more) => {
  if (/koffi/.test(file)) throw new Error('koffi is missing')
  return dlopen.call(process, module, file, ...more)
}
