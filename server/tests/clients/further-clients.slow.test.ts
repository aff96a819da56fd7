import { furtherClients } from './support/clients.ts'
import { journeyThrough } from './support/journey.ts'

journeyThrough(furtherClients)
