import { crc32, deflateSync } from 'node:zlib'

/** A body that is no JSON, to an operation. */
export async function sendBytes(
  url: string,
  { method = 'PUT', headers = {}, bytes }: { method?: string; headers?: Record<string, string>; bytes: Buffer },
) {
  const answer = await fetch(url, { method, headers: { 'content-type': 'image/png', ...headers }, body: bytes })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : undefined }
}

const uint = (bytes: number, value: number, order: 'LE' | 'BE') => {
  const buffer = Buffer.alloc(bytes)
  if (order === 'LE') buffer.writeUIntLE(value, 0, bytes)
  else buffer.writeUIntBE(value, 0, bytes)
  return buffer
}
const text = (characters: string) => Buffer.from(characters, 'latin1')

export const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')

const chunk = (name: string, content: Buffer) => {
  const named = Buffer.concat([text(name), content])
  return Buffer.concat([uint(4, content.length, 'BE'), named, uint(4, crc32(named), 'BE')])
}

/** A whole picture of one colour; `more` chunks stand before its end. */
export function pngOf(width: number, height: number, { color = [11, 87, 208], more = [] as [string, Buffer][] } = {}) {
  const header = Buffer.concat([uint(4, width, 'BE'), uint(4, height, 'BE'), Buffer.from([8, 2, 0, 0, 0])])
  const line = Buffer.concat([Buffer.from([0]), ...Array.from({ length: width }, () => Buffer.from(color))])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)))
  const chunks = [chunk('IHDR', header), ...more.map(([name, content]) => chunk(name, content)), chunk('IDAT', pixels)]
  return Buffer.concat([pngSignature, ...chunks, chunk('IEND', Buffer.alloc(0))])
}

/** Says that it is so large, and has a line of pixels. */
export const pngThatSays = (width: number, height: number) => {
  const bytes = pngOf(1, 1)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

const segment = (marker: number, content: Buffer) =>
  Buffer.concat([Buffer.from([0xff, marker]), uint(2, content.length + 2, 'BE'), content])

/** The segments of a photograph: a small picture in its comment, restarts and stuffed bytes in its data. */
export const jpegOf = (width: number, height: number) =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe1, Buffer.concat([text('Exif'), Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0xff, 0xd9])])),
    segment(0xc4, Buffer.alloc(20)),
    segment(
      0xc2,
      Buffer.concat([Buffer.from([8]), uint(2, height, 'BE'), uint(2, width, 'BE'), Buffer.from([1, 1, 17, 0])]),
    ),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([1, 2, 0xff, 0, 3, 0xff, 0xd3, 4]),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([5, 6, 0xff, 0xd9]),
  ])

const riff = (...chunks: Buffer[]) => {
  const content = Buffer.concat([text('WEBP'), ...chunks])
  return Buffer.concat([text('RIFF'), uint(4, content.length, 'LE'), content])
}
const riffChunk = (name: string, content: Buffer) =>
  Buffer.concat([text(name), uint(4, content.length, 'LE'), content, Buffer.alloc(content.length % 2)])

const vp8 = (width: number, height: number) =>
  riffChunk(
    'VP8 ',
    Buffer.concat([
      Buffer.from([0, 0, 0, 0x9d, 1, 0x2a]),
      uint(2, width, 'LE'),
      uint(2, height, 'LE'),
      Buffer.alloc(3),
    ]),
  )
const vp8l = (width: number, height: number) =>
  riffChunk(
    'VP8L',
    Buffer.concat([Buffer.from([0x2f]), uint(4, (width - 1) | ((height - 1) << 14), 'LE'), Buffer.alloc(2)]),
  )
const vp8x = (width: number, height: number) =>
  riffChunk('VP8X', Buffer.concat([Buffer.alloc(4), uint(3, width - 1, 'LE'), uint(3, height - 1, 'LE')]))
const anmf = (width: number, height: number) =>
  riffChunk(
    'ANMF',
    Buffer.concat([Buffer.alloc(6), uint(3, width - 1, 'LE'), uint(3, height - 1, 'LE'), Buffer.alloc(4)]),
  )

/** Of each kind: lossy, lossless, and with a canvas around a picture or frames. */
export const webpOf = {
  lossy: (width: number, height: number) => riff(vp8(width, height)),
  lossless: (width: number, height: number) => riff(vp8l(width, height)),
  extended: (width: number, height: number, inner = [width, height]) =>
    riff(vp8x(width, height), vp8(inner[0] ?? 0, inner[1] ?? 0)),
  animated: (width: number, height: number, frame = [width, height]) =>
    riff(vp8x(width, height), anmf(frame[0] ?? 0, frame[1] ?? 0)),
}
