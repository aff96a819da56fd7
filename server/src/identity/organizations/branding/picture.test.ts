import { expect, test } from 'vitest'
import { jpegOf, pngOf, pngSignature, pngThatSays, webpOf } from '../../../../tests/support/pictures.ts'
import { readPicture } from './picture.ts'

const html = Buffer.from('<html><script>alert(1)</script></html>')
const whole: [string, Buffer, string][] = [
  ['PNG', pngOf(3, 2), 'image/png'],
  ['JPEG', jpegOf(3, 2), 'image/jpeg'],
  ['lossy WebP', webpOf.lossy(3, 2), 'image/webp'],
  ['lossless WebP', webpOf.lossless(3, 2), 'image/webp'],
  ['extended WebP', webpOf.extended(3, 2), 'image/webp'],
  ['animated WebP', webpOf.animated(3, 2), 'image/webp'],
]

test.each(whole)('A %s is known by its bytes, with its size', (_, bytes, mediaType) => {
  const { mediaType: found, sizes = [] } = readPicture(bytes) ?? {}
  expect(found).toBe(mediaType)
  expect(new Set(sizes.map(({ width, height }) => `${width} × ${height}`))).toEqual(new Set(['3 × 2']))
})

test.each(whole)('A %s with something after it, or without its end, is no picture', (_, bytes) => {
  expect(readPicture(Buffer.concat([bytes, html]))?.sizes).toBeUndefined()
  for (let length = 12; length < bytes.length; length++)
    expect({ length, sizes: readPicture(bytes.subarray(0, length))?.sizes }).toEqual({ length, sizes: undefined })
})

test('What only begins like a picture is none', () => {
  expect(readPicture(Buffer.concat([pngSignature, html]))?.sizes).toBeUndefined()
  expect(readPicture(Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), html]))?.sizes).toBeUndefined()
  for (const other of ['GIF89a', '<svg xmlns="http://www.w3.org/2000/svg"/>', '%PDF-1.7', '', '<?xml version="1.0"?>'])
    expect(readPicture(Buffer.from(other))).toBeUndefined()
})

test('The largest size within counts, whatever the header says', () => {
  const widths = (bytes: Buffer) => readPicture(bytes)?.sizes?.map(({ width }) => width)
  expect(widths(webpOf.extended(30_000, 1))).toContain(30_000)
  expect(widths(webpOf.extended(10, 10, [16_000, 10]))).toContain(16_000)
  expect(widths(webpOf.animated(10, 10, [30_000, 10]))).toContain(30_000)
  expect(widths(pngThatSays(100_000, 1))).toContain(100_000)
  expect(widths(jpegOf(65_000, 1))).toContain(65_000)
})

test('A JPEG hides no size behind bytes that a browser reads over', () => {
  const [start, picture] = [jpegOf(3, 2).subarray(0, 2), jpegOf(3, 2).subarray(2)]
  const widths = (between: number[]) =>
    readPicture(Buffer.concat([start, Buffer.from(between), picture]))?.sizes?.map(({ width }) => width)
  expect(widths([0xff, 0xff])).toEqual([3])
  expect(widths([0xff, 0xd0, 0xff, 0x01])).toEqual([3])
  expect(widths([0xff, 0x00, 0, 2])).toBeUndefined()
  // What stands before a frame of 65,000 pixels, and how far it would lead, past that frame and a comment, were it a segment.
  const frame = [0xff, 0xc0, 0, 11, 8, 0, 2, 0xfd, 0xe8, 1, 1, 17, 0]
  const hidden: [number[], number][] = [
    [[0xff], 0xc000],
    [[0xff, 0xd0], 0xffc0],
    [[0xff, 0x01], 0xffc0],
  ]
  for (const [before, jump] of hidden) {
    const comment = jump - before.length - frame.length
    const filling = Array(comment - 2).fill(0)
    expect(widths([...before, ...frame, 0xff, 0xfe, comment >> 8, comment & 0xff, ...filling])).toEqual([65_000, 3])
  }
})

test('A picture whose parts have impossible lengths is read to its end once', () => {
  const png = pngOf(1, 1)
  png.writeUInt32BE(0xffff_ffff, 33)
  expect(readPicture(png)?.sizes).toBeUndefined()
  const jpeg = jpegOf(1, 1)
  jpeg.writeUInt16BE(0, 4)
  expect(readPicture(jpeg)?.sizes).toBeUndefined()
})
