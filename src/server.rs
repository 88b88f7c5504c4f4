//! The server: binds a loopback port, writes the lock file, accepts on a thread of its own, and stops within a bound.

use std::{
    io,
    net::{Ipv4Addr, TcpListener},
    sync::{Arc, mpsc},
    time::Duration,
};

use parking_lot::{Mutex, RwLock};
use serde::Serialize;
use tokio::sync::{Semaphore, watch};

use crate::{
    bridge::{Editor, Event},
    config::{Config, Limits},
    discovery::{handover::Address, lockfile::Lockfile, workspace::Places},
    error::StartError,
    session::{
        hub::{self, Hub, Journal, Manners},
        pending::Pending,
        registry::{Peer, Registry},
    },
    threads,
    tools::Catalog,
    transport::{auth, http},
};

/// How long [`Server::stop`] keeps its caller, who is Neovim's main thread.
const STOP: Duration = Duration::from_millis(50);
/// Of that, what the sessions have for their close frames.
const GOODBYES: Duration = Duration::from_millis(30);

/// A running server, as its owner on the main thread holds it.
pub struct Server {
    hub: Arc<Hub>,
    port: u16,
    lock: Arc<Lockfile>,
    places: watch::Sender<Places>,
    shutdown: watch::Sender<bool>,
    /// Disconnects when the thread has ended.
    ended: mpsc::Receiver<()>,
}

/// What `status` tells.
#[derive(Debug, Serialize)]
pub struct Status {
    /// The port on 127.0.0.1.
    pub port: u16,
    /// Path of the lock file.
    pub lock_path: std::path::PathBuf,
    /// As the CLI lists it.
    pub name: String,
    /// Folders of the lock file.
    pub folders: Vec<std::path::PathBuf>,
    /// Who is connected.
    pub clients: Vec<Peer>,
    /// Calls that wait for the editor.
    pub pending: usize,
    /// The newest handshake and fault.
    #[serde(flatten)]
    pub journal: Journal,
}

impl Server {
    /// Starts, at `address` if that port is free, else at a random free port of the range with a new token.
    ///
    /// # Errors
    /// See [`StartError`]; nothing is left behind then.
    pub fn start(
        config: Config,
        limits: Limits,
        editor: Arc<dyn Editor>,
        address: Option<Address>,
    ) -> Result<Self, StartError> {
        let kept = address.and_then(|a| Some((listen(a.port).ok()?, a.token)));
        let (listener, token) = match kept {
            Some(kept) => kept,
            None => (bind(config.port_min, config.port_max)?, auth::new_token().map_err(StartError::Random)?),
        };
        let system = |what| move |source| StartError::System { what, source };
        listener.set_nonblocking(true).map_err(system("prepare the socket"))?;
        let port = listener.local_addr().map_err(system("read the socket's address"))?.port();

        let lock = Lockfile::create(&config.lock_dir, &config.home, port, config.pid, &token, &config.places)
            .map_err(|source| StartError::Lock { dir: config.lock_dir.clone(), source })?;
        let lock = Arc::new(lock);
        let hub = Arc::new(Hub {
            editor,
            limits,
            token,
            manners: RwLock::default(),
            catalog: RwLock::new(Arc::new(Catalog::new(Vec::new()))),
            pending: Pending::default(),
            registry: Registry::default(),
            published: watch::Sender::new(None),
            journal: Mutex::default(),
        });
        let (shutdown, stopped) = watch::channel(false);
        let (places, moves) = watch::channel(config.places.clone());
        let (alive, ended) = mpsc::channel();
        let shared = (hub.clone(), lock.clone());
        let spawned = threads::spawn("claudecode", move || {
            let _alive = alive;
            let (hub, lock) = shared;
            match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => {
                    runtime.block_on(run(listener, hub, lock, moves, stopped));
                    runtime.shutdown_background();
                }
                Err(e) => hub.fault(format!("no runtime for the server: {e}")),
            }
        });
        if let Err(source) = spawned {
            lock.remove();
            return Err(StartError::System { what: "start the server's thread", source });
        }
        let server = Self { hub, port, lock, places, shutdown, ended };
        server.reconfigure(config);
        Ok(server)
    }

    /// Takes over what may change while the server runs: tools, manners, places. Port and token stay.
    pub fn reconfigure(&self, config: Config) {
        let Config { version, instructions, ready_delay_ms, allowed_hosts, ask_first, tools, places, .. } = config;
        *self.hub.manners.write() = Manners { version, instructions, ready_delay_ms, allowed_hosts, ask_first };
        *self.hub.catalog.write() = Arc::new(Catalog::new(tools));
        self.moved(places);
    }

    /// Neovim works elsewhere now, or another editor came or went: the lock file is looked at again, not here.
    pub fn moved(&self, places: Places) {
        self.places.send_replace(places);
    }

    /// What all sessions share.
    #[must_use]
    pub fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    /// Where the server is, for the next one.
    #[must_use]
    pub fn address(&self) -> Address {
        Address { port: self.port, token: self.hub.token.clone() }
    }

    /// A picture of the present state.
    #[must_use]
    pub fn status(&self) -> Status {
        let contents = self.lock.contents();
        let (name, folders) = contents.map(|lock| (lock.ide_name, lock.workspace_folders)).unwrap_or_default();
        Status {
            port: self.port,
            lock_path: self.lock.path(),
            name,
            folders,
            clients: self.hub.registry.peers(),
            pending: self.hub.pending.len(),
            journal: self.hub.journal.lock().clone(),
        }
    }

    /// Removes the lock file, tells the clients, and waits at most 50 ms for the thread; then lets it go.
    pub fn stop(self) {
        self.lock.remove();
        self.shutdown.send_replace(true);
        if self.ended.recv_timeout(STOP) == Err(mpsc::RecvTimeoutError::Timeout) {
            log::warn!(target: "claudecode::server", "the server's thread did not end within {STOP:?}");
        }
    }
}

fn listen(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
}

/// The first free port of the range from a random one on, all of them tried.
fn bind(min: u16, max: u16) -> Result<TcpListener, StartError> {
    if min == 0 || min > max {
        return Err(StartError::PortRange { min, max });
    }
    let count = u32::from(max - min) + 1;
    let first = getrandom::u32().map_err(StartError::Random)? % count;
    let mut last = io::Error::from(io::ErrorKind::AddrInUse);
    for step in 0..count {
        let offset = u16::try_from((first + step) % count).unwrap_or_default();
        match listen(min + offset) {
            Ok(listener) => return Ok(listener),
            Err(e) => last = e,
        }
    }
    Err(StartError::PortsTaken { min, max, last })
}

async fn run(
    listener: TcpListener,
    hub: Arc<Hub>,
    lock: Arc<Lockfile>,
    moves: watch::Receiver<Places>,
    mut stopped: watch::Receiver<bool>,
) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(e) => return hub.fault(format!("the socket cannot be served: {e}")),
    };
    let keeper = tokio::spawn(keep(lock, moves, hub.clone()));
    let (stop, stopping) = watch::channel(false);
    let room = Arc::new(Semaphore::new(hub.limits.connections));
    loop {
        let accepted = tokio::select! {
            () = hub::stopped(&mut stopped) => break,
            accepted = listener.accept() => accepted,
        };
        match (accepted, room.clone().try_acquire_owned()) {
            (Ok((stream, _)), Ok(permit)) => {
                let served = http::serve(stream, hub.clone(), stopping.clone(), permit);
                tokio::spawn(served);
            }
            (Ok(_), Err(_)) => hub.fault("too many connections; one was closed".into()),
            (Err(e), _) => {
                // Out of file descriptors, mostly: give some time to get them back.
                hub.fault(format!("cannot accept a connection: {e}"));
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    drop((listener, stopping));
    keeper.abort();
    stop.send_replace(true);
    let _ = tokio::time::timeout(GOODBYES, stop.closed()).await;
}

/// Keeps the lock file true. Of failures in a row the user is told the first.
async fn keep(lock: Arc<Lockfile>, mut moves: watch::Receiver<Places>, hub: Arc<Hub>) {
    let mut failed = false;
    while moves.changed().await.is_ok() {
        let places = moves.borrow_and_update().clone();
        let kept = lock.clone();
        let refreshed = tokio::task::spawn_blocking(move || kept.refresh(&places)).await;
        if let Ok(Err(e)) = &refreshed {
            let what = format!(
                "cannot rewrite the lock file {}: {e}; Claude finds Neovim by it. Make its directory writable, then run \
                 :ClaudeCodeStart",
                lock.path().display()
            );
            if !failed {
                hub.editor.tell(Event::Fault { what: what.clone() });
            }
            hub.fault(what);
        }
        failed = matches!(refreshed, Ok(Err(_)));
    }
}
