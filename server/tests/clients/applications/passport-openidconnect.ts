import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { type Profile, Strategy, type VerifyCallback } from 'passport-openidconnect'
import { listen } from '../support/serve.ts'
import { clientId, clientSecret, issuer, redirectUri } from '../support/settings.ts'

const strategy = new Strategy(
  {
    issuer,
    authorizationURL: `${issuer}/authorize`,
    tokenURL: `${issuer}/token`,
    userInfoURL: `${issuer}/userinfo`,
    skipUserProfile: false,
    callbackURL: redirectUri,
    clientID: clientId,
    clientSecret,
    scope: ['profile', 'email', 'offline_access'],
    nonce: 'yes',
  },
  verify,
)
passport.use(strategy)
passport.serializeUser((user, done) => done(null, user))
passport.deserializeUser((user: Express.User, done) => done(null, user))

type Text = string | object

/** The library counts the parameters to know what to give. */
function verify(
  _issuer: string,
  profile: Profile,
  _context: object,
  idToken: Text,
  accessToken: Text,
  refreshToken: string,
  done: VerifyCallback,
) {
  const tokens = { access_token: accessToken, refresh_token: refreshToken, id_token: idToken }
  done(null, { sub: profile.id, profile, ...tokens } as unknown as Express.User)
}

const app = express()
app.use(session({ secret: 'of a test', resave: false, saveUninitialized: false }), passport.session())
app.get('/sign-in', passport.authenticate('openidconnect'))
app.get('/callback', passport.authenticate('openidconnect', { successRedirect: '/' }))
app.get('/', ({ user }, response) => response.json(user ?? {}))
/** The library has asked when it signed the person in. */
app.get('/user-info', ({ user }, response) => {
  const { profile } = user as unknown as { profile: Profile }
  const { id: sub, displayName: name, username: preferred_username, emails } = profile
  response.json({ sub, name, preferred_username, email: emails?.[0]?.value })
})
listen(app)
