import { errorCodes } from '../../src/ground/error-codes.ts'

const statusesOf: Record<string, { statuses: readonly number[] }> = errorCodes

type Errors = { errors: { httpcode: number }[] }

/**
 * What is wrong with `Signet-Error` in an answer: it has one code of the catalogue for each entry of `errors`, in their order, under one of the
 * code's statuses. An answer without the envelope has none.
 */
export function faultOfCodes(header: string | null | undefined, body: unknown): string | undefined {
  const entries = (body as Errors | undefined)?.errors
  if (!Array.isArray(entries)) return header ? `${header}: without an envelope` : undefined
  const codes = header?.split(', ') ?? []
  const isRight = entries.map(({ httpcode }, index) => statusesOf[codes[index] ?? '']?.statuses.includes(httpcode))
  return isRight.every(Boolean) && codes.length === entries.length
    ? undefined
    : `Signet-Error: ${header} with ${JSON.stringify(body).slice(0, 500)}`
}
