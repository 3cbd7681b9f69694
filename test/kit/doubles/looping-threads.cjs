// Required into a node under test: from the moment the file LOOP_GATE is there, a thread of the node whose script fits
// LOOP_IN answers nothing any more but runs in an endless loop of JavaScript. The first one to do so makes the file
// LOOP_GATE.loops.

const { existsSync, writeFileSync } = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')
const threads = require('node:worker_threads')

const PRELOAD = `--require=${__filename}`

if (threads.isMainThread) {
  const { LOOP_GATE: gate, LOOP_IN: where } = process.env
  // Threads get an environment of their own, and no options with it.
  threads.Worker = class extends threads.Worker {
    constructor(script, options = {}) {
      if (!new RegExp(where).test(String(script))) return super(script, options)
      const env = { ...(options.env ?? process.env), LOOP_HERE: gate }
      super(script, { ...options, env, execArgv: [...process.execArgv, PRELOAD] })
    }
  }
  syncBuiltinESMExports()
} else if (process.env.LOOP_HERE !== undefined) {
  const gate = process.env.LOOP_HERE
  const { postMessage } = threads.MessagePort.prototype
  threads.MessagePort.prototype.postMessage = function (...message) {
    if (existsSync(gate)) {
      writeFileSync(`${gate}.loops`, '')
      for (;;);
    }
    return postMessage.apply(this, message)
  }
}
