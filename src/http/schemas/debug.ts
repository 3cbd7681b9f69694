// JSON schemas of the debug routes (spec 2.12, 4.11; decisions part 5).

import { Type } from '@sinclair/typebox'

const SampleTime = Type.Integer({ description: 'milliseconds since 1970' })

/** GET /debug/cpu/history. */
export const CpuHistoryReply = Type.Object({
  cpu_history: Type.Array(Type.Object({ time: SampleTime, cpu: Type.Number({ description: 'per cent of one core' }) })),
})

/** GET /debug/memory/history. */
export const MemoryHistoryReply = Type.Object({
  memory_history: Type.Array(Type.Object({ time: SampleTime, mem: Type.Integer({ description: 'bytes' }) })),
})

/** GET /debug/open_files. */
export const OpenFilesReply = Type.Object({
  open_files: Type.Array(Type.Object({ path: Type.String(), fd: Type.Integer() })),
})

/** GET /debug/open_sockets. */
export const OpenSocketsReply = Type.Object({
  open_sockets: Type.Array(
    Type.Object({
      family: Type.Integer({ description: '1 Unix, 2 IPv4, 10 IPv6, 16 netlink, 0 not told' }),
      status: Type.String({ description: 'LISTEN, ESTABLISHED and so on; NONE for what has no connection' }),
      laddr: Type.String({ description: 'ip:port, [ip]:port, a path, or -' }),
      raddr: Type.String({ description: 'ip:port, [ip]:port, or -' }),
      type: Type.Integer({ description: '1 stream, 2 datagram, 3 raw, 0 not told' }),
      fd: Type.Integer({ description: 'extra' }),
    }),
  ),
})

/** GET /debug/threads. */
export const ThreadsReply = Type.Object({
  threads: Type.Array(
    Type.Object({
      thread_id: Type.Integer({ description: 'of the operating system; 0 = not known' }),
      thread_name: Type.String(),
      frames: Type.Array(Type.String(), { description: 'file:line function, the innermost first' }),
    }),
  ),
})

/** GET /debug/doctor. */
export const DoctorReply = Type.Object({
  healthy: Type.Boolean({ description: 'no finding is a problem' }),
  time: Type.Integer({ description: 'when it was examined, seconds since 1970' }),
  findings: Type.Array(
    Type.Object({
      state: Type.Union([Type.Literal('ok'), Type.Literal('warning'), Type.Literal('problem')]),
      check: Type.String({ description: 'what was looked at: ports, mounts, permissions, clock, database, …' }),
      code: Type.String({
        description: 'what was found, for programs and other languages: port_taken, room_little, …',
      }),
      parameters: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
        description: 'what stands in text and advice, by name',
      }),
      text: Type.String({ description: 'what is so' }),
      advice: Type.String({ description: 'what to do; empty = nothing' }),
    }),
  ),
})

const MAX_LINES = 10_000

/** Query of GET /debug/log. */
export const LogParameters = Type.Object({
  process: Type.Optional(Type.Union([Type.Literal('core'), Type.Literal('gui')])),
  max_lines: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LINES, description: '1 to 10000; default 100' })),
})

/** GET /debug/log. */
export const LogReply = Type.Object({ content: Type.String(), max_lines: Type.Integer() })

/** GET /debug/profiler. */
export const ProfilerReply = Type.Object({
  state: Type.Union([Type.Literal('STARTED'), Type.Literal('STOPPED')]),
})

/** PUT /debug/profiler. */
export const ProfilerStartReply = Type.Object({ success: Type.Boolean() })

/** DELETE /debug/profiler. */
export const ProfilerStopReply = Type.Object({
  success: Type.Boolean(),
  profiler_file: Type.String({ description: 'extra: the profile, on the disk of the node' }),
})
