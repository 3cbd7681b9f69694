// The debug routes (spec 4.11; decisions part 5); those of circuits are in circuits.ts.

import { AppError } from '../../base/errors.ts'
import { type RouteContext, route } from '../route.ts'
import {
  CpuHistoryReply,
  DoctorReply,
  LogParameters,
  LogReply,
  MemoryHistoryReply,
  OpenFilesReply,
  OpenSocketsReply,
  ProfilerReply,
  ProfilerStartReply,
  ProfilerStopReply,
  ThreadsReply,
} from '../schemas/debug.ts'

const DEFAULT_LINES = 100

const common = { kind: 'json', scope: 'admin', tag: 'debug', parameters: null } as const
const debugOf = ({ services }: RouteContext): RouteContext['services']['debug'] => services.debug

const cpuHistory = route({
  ...common,
  id: 'debug.cpu-history',
  method: 'GET',
  path: '/debug/cpu/history',
  summary: 'Processor time over the last hour',
  choices: [
    'A sample every 5 s, the last 720 (settings resource_monitor); `time` is in milliseconds. The process with all its threads.',
  ],
  reply: CpuHistoryReply,
  errors: [],
  sample: { path: '/debug/cpu/history', status: 200 },
  run: context => ({ cpu_history: debugOf(context).cpuHistory() }),
})

const memoryHistory = route({
  ...common,
  id: 'debug.memory-history',
  method: 'GET',
  path: '/debug/memory/history',
  summary: 'Memory over the last hour',
  choices: [
    'A sample every 5 s, the last 720 (settings resource_monitor); `time` is in milliseconds, `mem` what of the process lies in memory.',
  ],
  reply: MemoryHistoryReply,
  errors: [],
  sample: { path: '/debug/memory/history', status: 200 },
  run: context => ({ memory_history: debugOf(context).memoryHistory() }),
})

const memoryDump = route({
  ...common,
  id: 'debug.memory-dump',
  method: 'GET',
  path: '/debug/memory/dump',
  kind: 'file',
  summary: 'A memory dump; the node stands still while it is made',
  choices: [
    'It stops the node: while V8 makes it nothing else is answered, no peer is served and no stream goes on, about a second for ' +
      '20 MB of objects. So it needs the first key.',
    'A V8 heap snapshot of the main thread (Chrome: Memory, Load), as an attachment. One at a time, further ones are refused with 503.',
  ],
  reply: null,
  contentType: 'application/octet-stream',
  errors: ['ScopeMissing', 'TooManyRequests', 'DiskFull', 'DiskError'],
  sample: { path: '/debug/memory/dump', status: 200 },
  run: (context, { caller }) => {
    if (!caller.anyPath) throw new AppError('ScopeMissing', 'A memory dump stops the node: it needs the first key.')
    return {
      contentType: 'application/octet-stream',
      fileName: 'tributary.heapsnapshot',
      open: () => debugOf(context).memoryDump(),
    }
  },
})

const openFiles = route({
  ...common,
  id: 'debug.open-files',
  method: 'GET',
  path: '/debug/open_files',
  summary: 'Regular files that the process has open',
  choices: ['Descriptors that lead to files, whoever opened them; one that was deleted has (deleted) behind its path.'],
  reply: OpenFilesReply,
  errors: [],
  sample: { path: '/debug/open_files', status: 200 },
  run: async context => ({ open_files: await debugOf(context).openFiles() }),
})

const openSockets = route({
  ...common,
  id: 'debug.open-sockets',
  method: 'GET',
  path: '/debug/open_sockets',
  summary: 'Sockets that the process has open',
  choices: [
    'Every one, as the kernel knows it, whoever opened it. `family` and `type` are its numbers; `fd` is extra.',
  ],
  reply: OpenSocketsReply,
  errors: [],
  sample: { path: '/debug/open_sockets', status: 200 },
  run: async context => ({ open_sockets: await debugOf(context).openSockets() }),
})

const threads = route({
  ...common,
  id: 'debug.threads',
  method: 'GET',
  path: '/debug/threads',
  summary: 'Threads, and what they do at this moment',
  choices: [
    'Frames are `file:line function`, the innermost first. The main thread and workers have them; a worker without work ' +
      'says so, one in native code cannot be looked into. Threads that run no JavaScript have none.',
  ],
  reply: ThreadsReply,
  errors: [],
  sample: { path: '/debug/threads', status: 200 },
  run: async context => ({ threads: await debugOf(context).threads() }),
})

const doctor = route({
  ...common,
  id: 'debug.doctor',
  method: 'GET',
  path: '/debug/doctor',
  summary: 'What a node needs and whether it is so, with what to do',
  choices: [
    'The whole route is extra: what `tributary doctor --json` prints on the machine of the node, and `time`. It is examined in ' +
      'a process of its own, one at a time for all who ask; an answer that is younger than 5 s is given again. After 30 s ' +
      'the only finding says that it did not come to an end, as it does when a disk does not answer.',
  ],
  reply: DoctorReply,
  errors: [],
  sample: { path: '/debug/doctor', status: 200 },
  run: context => debugOf(context).doctor(),
})

const log = route({
  ...common,
  id: 'debug.log',
  method: 'GET',
  path: '/debug/log',
  summary: 'The last lines of the log',
  choices: [
    '`process`: core (default), or gui, whose log is empty. `max_lines`: 1 to 10000, default 100; it is answered as asked.',
  ],
  parameters: LogParameters,
  reply: LogReply,
  errors: ['InvalidParameter'],
  sample: { path: '/debug/log', query: 'process=core&max_lines=5', status: 200 },
  run: async (context, { parameters: { process = 'core', max_lines: lines = DEFAULT_LINES } }) => ({
    content: await debugOf(context).log(process, lines),
    max_lines: lines,
  }),
})

const profiler = route({
  ...common,
  id: 'debug.profiler',
  method: 'GET',
  path: '/debug/profiler',
  summary: 'Whether the profiler runs',
  choices: ['STOPPED again when it ended by itself.'],
  reply: ProfilerReply,
  errors: [],
  sample: { path: '/debug/profiler', status: 200 },
  run: context => ({ state: debugOf(context).profilerState() }),
})

const startProfiler = route({
  ...common,
  id: 'debug.profiler-start',
  method: 'PUT',
  path: '/debug/profiler',
  summary: 'Starts the profiler',
  choices: ['A CPU profile over all threads; 409 when it runs already. It ends by itself after five minutes.'],
  reply: ProfilerStartReply,
  errors: ['StateConflict'],
  sample: { path: '/debug/profiler', status: 200 },
  run: async context => {
    await debugOf(context).startProfiler()
    return { success: true }
  },
})

const stopProfiler = route({
  ...common,
  id: 'debug.profiler-stop',
  method: 'DELETE',
  path: '/debug/profiler',
  summary: 'Stops the profiler',
  choices: [
    '409 when it does not run. `profiler_file` (extra) is the profile, for any viewer of .cpuprofile files; threads stand ' +
      'in it one after the other. The newest ten are kept.',
  ],
  reply: ProfilerStopReply,
  errors: ['StateConflict', 'DiskFull', 'DiskError'],
  sample: { path: '/debug/profiler', status: 200 },
  run: async context => ({ success: true, profiler_file: await debugOf(context).stopProfiler() }),
})

/** Every route of this file. */
export const debugRoutes = [
  cpuHistory,
  memoryHistory,
  memoryDump,
  openFiles,
  openSockets,
  threads,
  doctor,
  log,
  profiler,
  startProfiler,
  stopProfiler,
] as const
