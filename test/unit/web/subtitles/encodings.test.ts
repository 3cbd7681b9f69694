// Texts of subtitles in the encodings that they come in: found without being told, and read right.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodingNames } from '../../../../src/web/model/subtitles/encoding-names.ts'
import { decodedText, encodingOf } from '../../../../src/web/model/subtitles/encodings.ts'

/** Bytes of a text: the decoder, turned round. */
function bytesOf(text: string, encoding: string): Uint8Array {
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le')
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16()
  if (encoding === 'utf-8') return Buffer.from(text)
  const decoder = new TextDecoder(encoding)
  const codes = new Map<string, number[]>()
  for (let first = 0x80; first < 0x100; first++) {
    codes.set(decoder.decode(Uint8Array.of(first)), [first])
    for (let second = 0x40; second < 0x100; second++) {
      const pair = decoder.decode(Uint8Array.of(first, second))
      if (pair.length === 1 && pair !== '\ufffd' && !codes.has(pair)) codes.set(pair, [first, second])
    }
  }
  const bytes = [...text].flatMap(character => {
    if (character.charCodeAt(0) < 0x80) return [character.charCodeAt(0)]
    const code = codes.get(character)
    assert.ok(code !== undefined, `${encoding} has no ${character}`)
    return code
  })
  return Uint8Array.from(bytes)
}

/** Some lines as they are said in films. */
const SAID: readonly (readonly [encoding: string, text: string])[] = [
  ['utf-8', 'Où êtes-vous, Zoë? – Здесь. 你好'],
  ['utf-16le', '1\r\n00:00:01,000 --> 00:00:02,000\r\nHello there, Привет'],
  ['utf-16be', '1\r\n00:00:01,000 --> 00:00:02,000\r\nHello there, Привет'],
  ['windows-1252', 'Où êtes-vous allé hier? À côté du garçon, près de la forêt. Ça va très bien.'],
  ['windows-1252', 'Wir müssen größere Häuser bauen. Schöne Grüße an Frau Müller!'],
  ['windows-1252', '¿Qué pasó mañana? El niño está aquí, señor. ¡Adiós!'],
  ['windows-1252', 'Jag är så trött på den här ön, sa Åke och gick över bron.'],
  ['windows-1250', 'Zażółć gęślą jaźń. Proszę, niech pan wejdzie, już późno. Dziękuję ślicznie!'],
  ['windows-1250', 'Příliš žluťoučký kůň úpěl ďábelské ódy. Můžeš mi říct, co se děje?'],
  ['windows-1250', 'Árvíztűrő tükörfúrógép. Köszönöm, hogy eljöttél hozzánk, nagyon örülök!'],
  ['windows-1251', 'Где ты был вчера вечером? Я ждал тебя у моста, Иван. Не знаю, что сказать.'],
  ['koi8-r', 'Где ты был вчера вечером? Я ждал тебя у моста, Иван. Не знаю, что сказать.'],
  ['windows-1253', 'Πού ήσουν χθες το βράδυ; Σε περίμενα στη γέφυρα. Δεν ξέρω τι να πω.'],
  [
    'windows-1254',
    'Dün akşam neredeydin? Seni köprüde bekledim, çocuğum. Şimdi ne diyeceğimi bilmiyorum. Işığı söndür.',
  ],
  ['windows-1255', 'איפה היית אתמול בערב? חיכיתי לך על הגשר. אני לא יודע מה לומר.'],
  ['windows-1256', 'أين كنت مساء أمس؟ انتظرتك على الجسر. لا أعرف ماذا أقول لك يا صديقي.'],
  ['shift_jis', '昨日の夜はどこにいたの？橋のところで待っていたんだよ。何と言えばいいのかわからない。'],
  ['euc-kr', '어젯밤에 어디 있었어? 다리에서 기다렸는데. 뭐라고 해야 할지 모르겠어.'],
  ['gb18030', '你昨天晚上在哪里？我在桥上等你。我不知道该说什么了。他是一个好人，这是我们的家。'],
  ['big5', '你昨天晚上在哪裡？我在橋上等你。我不知道該說什麼了。他是一個好人，這是我們的家。'],
]

test('each is found by what it says, and read right', () => {
  for (const [encoding, text] of SAID) {
    const bytes = bytesOf(text, encoding)
    const found = decodedText(bytes, 'film.srt', null)
    assert.equal(found.encoding, encoding, text)
    assert.equal(found.text, text)
  }
})

test('a mark at the start is obeyed and not shown', () => {
  assert.equal(decodedText(Buffer.from('\ufeffhello'), 'a.srt', null).text, 'hello')
  assert.equal(decodedText(Uint8Array.of(0xff, 0xfe, 0x41, 0), 'a.srt', null).text, 'A')
  assert.equal(decodedText(Uint8Array.of(0xfe, 0xff, 0, 0x41), 'a.srt', null).text, 'A')
})

test('a short text is read by the language in its name, where that can be', () => {
  const yes = bytesOf('Да!', 'windows-1251')
  assert.equal(encodingOf(yes, 'film.ru.forced.srt'), 'windows-1251')
  assert.equal(encodingOf(bytesOf('Zły', 'windows-1250'), 'Film.2012.pol.srt'), 'windows-1250')
  assert.equal(encodingOf(Buffer.from('é'), 'film.ru.srt'), 'utf-8', 'what is UTF-8 is no other')
})

test('what a user chooses is taken', () => {
  const bytes = bytesOf('Где ты?', 'windows-1251')
  assert.equal(decodedText(bytes, 'a.srt', 'windows-1252').text, 'Ãäå òû?')
  for (const [label] of encodingNames) assert.doesNotThrow(() => new TextDecoder(label), label)
})

test('any bytes have an encoding: none, zeros, noise', () => {
  const noise = Uint8Array.from({ length: 5000 }, (_, at) => (at * 7919) % 256)
  for (const bytes of [new Uint8Array(0), new Uint8Array(100), noise])
    assert.equal(typeof decodedText(bytes, '', null).text, 'string')
})
