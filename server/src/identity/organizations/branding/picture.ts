/** The media types of a logo. Not SVG, which is a program as well. */
export type MediaType = 'image/png' | 'image/jpeg' | 'image/webp'
export const mediaTypes: MediaType[] = ['image/png', 'image/jpeg', 'image/webp']

/** In pixels. */
export const maxSide = 1_024

type Size = { width: number; height: number }
/** `sizes`: of every picture within; undefined where the bytes are not those of a whole picture, from its first to its last. */
export type Picture = { mediaType: MediaType; sizes: Size[] | undefined }

/** By the bytes alone; undefined: it begins like none of the three. */
export function readPicture(bytes: Buffer): Picture | undefined {
  const found = formats.find(({ isBegun }) => isBegun(bytes))
  return found && { mediaType: found.mediaType, sizes: sizesIn(bytes, found.readSizes) }
}

/** Reading beyond the end means that the picture is cut off. */
function sizesIn(bytes: Buffer, readSizes: (bytes: Buffer) => Size[] | undefined): Size[] | undefined {
  try {
    const sizes = readSizes(bytes)
    return sizes?.length ? sizes : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')
const isText = (bytes: Buffer, at: number, text: string) => bytes.toString('latin1', at, at + text.length) === text

type Format = Pick<Picture, 'mediaType'> & {
  isBegun: (bytes: Buffer) => boolean
  readSizes: (bytes: Buffer) => Size[] | undefined
}
const formats: Format[] = [
  { mediaType: 'image/png', isBegun: (bytes) => bytes.subarray(0, 8).equals(pngSignature), readSizes: readPng },
  { mediaType: 'image/jpeg', isBegun: (bytes) => isText(bytes, 0, '\xff\xd8\xff'), readSizes: readJpeg },
  {
    mediaType: 'image/webp',
    isBegun: (bytes) => isText(bytes, 0, 'RIFF') && isText(bytes, 8, 'WEBP'),
    readSizes: readWebp,
  },
]

/** Chunks of length, name, content and checksum: the first is the header, and the last one ends with the file (PNG, 5.3). */
function readPng(bytes: Buffer): Size[] | undefined {
  if (bytes.readUInt32BE(8) !== 13 || !isText(bytes, 12, 'IHDR')) return undefined
  const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  for (let at = 8; at < bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at)
    if (isText(bytes, at + 4, 'IEND')) return end === bytes.length ? [size] : undefined
    at = end
  }
  return undefined
}

const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
const [startOfScan, endOfImage, fill] = [0xda, 0xd9, 0xff]
const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7
/** Markers that have no length. */
const standsAlone = (marker: number) => isRestart(marker) || marker === 0x01
const isNone = (marker: number) => marker === 0x00 || marker === 0xd8

/**
 * Segments of a marker and a length, up to the end of the image, where the file ends (JPEG, B.1). Fill bytes and markers without a length are
 * read over as browsers do: taken for a segment, they would lead past a frame that a browser finds.
 */
function readJpeg(bytes: Buffer): Size[] | undefined {
  const sizes: Size[] = []
  for (let at = 2; at < bytes.length; ) {
    if (bytes.readUInt8(at) !== 0xff) return undefined
    const marker = bytes.readUInt8(at + 1)
    if (marker === endOfImage) return at + 2 === bytes.length ? sizes : undefined
    if (isNone(marker)) return undefined
    if (isFrame(marker)) sizes.push({ height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) })
    at = endOfSegment(bytes, at, marker)
  }
  return undefined
}

function endOfSegment(bytes: Buffer, at: number, marker: number): number {
  if (marker === fill) return at + 1
  if (standsAlone(marker)) return at + 2
  const end = at + 2 + bytes.readUInt16BE(at + 2)
  return marker === startOfScan ? endOfScan(bytes, end) : end
}

/** The next marker that is not part of the data of a scan: a zero follows where the data has 0xff, and restarts are part of it. */
function endOfScan(bytes: Buffer, from: number): number {
  let at = from
  const isData = (next: number) => next === 0 || isRestart(next)
  while (bytes.readUInt8(at) !== 0xff || isData(bytes.readUInt8(at + 1))) at++
  return at
}

/** Chunks of name, length and content, padded to an even length; the file says how long it is. Frames of an animation count too. */
function readWebp(bytes: Buffer): Size[] | undefined {
  if (bytes.readUInt32LE(4) + 8 !== bytes.length) return undefined
  const sizes: Size[] = []
  let at = 12
  while (at < bytes.length) {
    const [name, length] = [bytes.toString('latin1', at, at + 4), bytes.readUInt32LE(at + 4)]
    const size = sizeOfChunk[name]?.(bytes, at + 8)
    if (size) sizes.push(...size)
    at += 8 + length + (length % 2)
  }
  return at === bytes.length ? sizes : undefined
}

/** RFC 9649, 2.5 to 2.7. */
const sizeOfChunk: Record<string, (bytes: Buffer, at: number) => Size[]> = {
  VP8X: (bytes, at) => [{ width: bytes.readUIntLE(at + 4, 3) + 1, height: bytes.readUIntLE(at + 7, 3) + 1 }],
  'VP8 ': (bytes, at) => [{ width: bytes.readUInt16LE(at + 6) & 0x3fff, height: bytes.readUInt16LE(at + 8) & 0x3fff }],
  VP8L: (bytes, at) => {
    const bits = bytes.readUInt32LE(at + 1)
    return [{ width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }]
  },
  ANMF: (bytes, at) => [{ width: bytes.readUIntLE(at + 6, 3) + 1, height: bytes.readUIntLE(at + 9, 3) + 1 }],
}
