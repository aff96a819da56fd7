import { ApiError } from '../../errors.ts'
import type { Operation, OperationInput } from './operation.ts'
import { InvalidRequest } from './validation.ts'

type Rules = Pick<Operation, 'rules'>

/** Throws the error of an operation; a 400 gets everything else that is wrong with the body added. */
export async function withAllProblems(
  error: unknown,
  input: OperationInput<never, never, never>,
  { rules = [] }: Rules,
) {
  if (!(error instanceof ApiError) || error.status !== 400) throw error
  const body = error instanceof InvalidRequest ? (error.rest as never) : input.body
  if (body === undefined) throw error
  const found = await Promise.all(rules.map((rule) => problemsOf(rule, { ...input, body })))
  // A field that breaks its schema may break a rule for that reason alone.
  const reported = new Set(error.problems.map(fieldOf))
  const others = found.flat().filter((problem) => !reported.has(fieldOf(problem)))
  throw new ApiError([...error.problems, ...others], error.headers)
}

async function problemsOf(rule: NonNullable<Rules['rules']>[number], input: OperationInput<never, never, never>) {
  try {
    await rule(input)
    return []
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error.problems
    throw error
  }
}

const fieldOf = ({ message }: ApiError['problems'][number]) => message.split(': ', 1)[0]
