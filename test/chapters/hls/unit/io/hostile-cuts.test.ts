// What ffmpeg is given may be anything: lists of other files and addresses are not followed, whatever they are, also
// where the cut itself were one, and damaged films end by themselves and harm nothing.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import { conversionArguments } from '../../../../../src/chapters/hls/core/ffmpeg/conversion.ts'
import { ConversionFailed } from '../../../../../src/chapters/hls/ports/film-converter.ts'
import { SegmentMaking } from '../../../../../src/chapters/hls/convert/make-segment.ts'
import { needs } from '../../../../kit/requirements.ts'
import { MemorySource } from '../../../media/kit/memory-source.ts'
import { mutated } from '../../../media/kit/mutations.ts'
import { RealConversions } from '../../kit/converted-films.ts'
import { madeBytes } from '../../kit/made-segments.ts'
import { SegmentFilms } from '../../kit/segment-films.ts'

const FILMS = Number(process.env['FUZZ_FFMPEG_FILMS'] ?? 30)
const FIRST_SEED = Number(process.env['FUZZ_SEED'] ?? 1)
const LIMITS = { wallMs: 20_000, cpuSeconds: 20, memoryKib: 2 * 1024 * 1024 }
const SECRET = 'a secret of this machine'
const never = new AbortController().signal

describe('hostile input of ffmpeg', { skip: needs('ffmpeg', 'ffprobe'), concurrency: 1 }, () => {
  const conversions = new RealConversions()
  let films: SegmentFilms
  let folder: string
  let server: Server
  let calls = 0
  before(async () => {
    films = await SegmentFilms.open()
    folder = await mkdtemp(join(tmpdir(), 'tributary-secret-'))
    await writeFile(join(folder, 'secret.txt'), `${SECRET}\n`)
    await films.ffmpeg(
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      'sine=d=1',
      '-c:a',
      'dca',
      '-strict',
      '-2',
      join(folder, 'secret.mkv'),
    )
    server = createServer(socket => {
      calls += 1
      socket.destroy()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(async () => {
    server?.close()
    await conversions.converter.stop()
    await films?.close()
    await rm(folder, { recursive: true, force: true })
  })

  test('lists of files and addresses are not followed, with and without the name of the format', async () => {
    const film = await conversions.open(await films.make('dts.mkv', 48_000, ['-c:a', 'dca', '-strict', '-2']))
    film.source.close()
    const args = conversionArguments(film.job(0).order, film.plan.byProgram, 1, null)
    const at = args.indexOf('-i')
    const guessed = [...args.slice(0, at - 2), ...args.slice(at)]
    assert.deepEqual(args.slice(at - 2, at), ['-f', 'matroska'])
    const { port } = server.address() as AddressInfo
    const address = `http://127.0.0.1:${port}/film.mkv`
    const file = join(folder, 'secret.mkv')
    const lists = [
      `#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n${address}\n#EXT-X-ENDLIST\n`,
      `#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nfile://${file}\n#EXT-X-ENDLIST\n`,
      `ffconcat version 1.0\nfile '${file}'\n`,
      `ffconcat version 1.0\nfile '${address}'\n`,
      `<?xml version="1.0"?><MPD><Period><AdaptationSet><Representation><BaseURL>${address}</BaseURL></Representation></AdaptationSet></Period></MPD>`,
      `v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=audio ${port} RTP/AVP 0\n`,
      `[playlist]\nFile1=${address}\n`,
    ]
    // And without the list of formats, so that only that of protocols is left.
    const formats = guessed.indexOf('-format_whitelist')
    const unlisted = [...guessed.slice(0, formats), ...guessed.slice(formats + 2)]
    for (const list of lists)
      for (const way of [args, guessed, unlisted])
        await assert.rejects(
          conversions.converter.convert(way, Buffer.from(list), LIMITS, never),
          ConversionFailed,
          list,
        )
    assert.equal(calls, 0, 'nobody was called')
    // Nor is any other reader of ffmpeg reached, whatever is in it.
    const plain = films.path('plain.dts')
    await films.ffmpeg('-v', 'error', '-y', '-i', films.path('dts.mkv'), '-map', '0:a', '-c', 'copy', plain)
    const stream = await readFile(plain)
    for (const way of [args, guessed])
      await assert.rejects(conversions.converter.convert(way, stream, LIMITS, never), ConversionFailed)
    assert.ok((await conversions.converter.convert(unlisted, stream, LIMITS, never)).length > 10_000)
    // The same program without its fence reads what it is told: the test can fail.
    const list = join(folder, 'list.txt')
    await writeFile(list, `ffconcat version 1.0\nfile '${file}'\n`)
    await films.ffmpeg('-v', 'error', '-safe', '0', '-i', list, '-f', 'null', '-')
  })

  for (const [name, ways] of [
    ['dts.mkv', ['-c:a', 'dca', '-strict', '-2']],
    ['xvid.avi', ['-c:v', 'libxvid', '-c:a', 'ac3']],
  ] as const)
    test(`${FILMS} of ${name} with something wrong in them`, async context => {
      const path = await films.make(name, 48_000, ways)
      const film = await conversions.open(path)
      film.source.close()
      const bytes = await readFile(path)
      const kinds = new Map<string, number>()
      for (let seed = FIRST_SEED; seed < FIRST_SEED + FILMS; seed += 1) {
        const damaged = new MemorySource(mutated(bytes, [{ start: 0, end: bytes.length }], seed))
        const making = new SegmentMaking()
        const job = { ...film.job(seed % film.plan.cuts.length), tag: `${name}-${seed}` }
        const made = conversions.segments.segment(
          job,
          film.plan.byProgram,
          async one => madeBytes(await making.make(one, damaged, () => undefined)),
          never,
        )
        const kind = await made.then(
          () => 'made',
          (error: unknown) => {
            if (error instanceof AppError) return error.code
            // The reader's own refusals.
            assert.match(String(error), /"kind":"unreadable"/, `${name} ${seed}`)
            return 'unreadable'
          },
        )
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      }
      context.diagnostic(JSON.stringify([...kinds]))
      assert.ok((kinds.get('made') ?? 0) > 0, JSON.stringify([...kinds]))
      assert.equal(conversions.converter.running, 0)
    })
})
