// A part of `npm run bench -- management`, in a process of its own: the statements straight through the database client.
import { groupsToSet, groupToCreate, obeyOrders } from '../support/rounds.ts'
import { openStatements } from '../support/statements.ts'

const statements = openStatements(JSON.parse(process.argv[2] ?? ''))

obeyOrders(async (order) => {
  if (order.operation === 'create')
    return async (n) => void (await statements.create(order, groupToCreate(order.series, n)))
  return async (n) => {
    const { personId, groups } = groupsToSet(order.personIds, n)
    await statements.set(order, personId, groups)
  }
})
