//! What is behind the gateway: a network of the user's own, and the proxy that their machine needs.

use super::*;
use crate::network::Proxy;

const OWN: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 1, 2, 3));

/// The status with which the gateway answers a request for a host.
fn asked(scene: &Scene, host: &str) -> io::Result<String> {
    let mut client = scene.connect()?;
    client.write_all(format!("CONNECT {host}:443 HTTP/1.1\r\n\r\n").as_bytes())?;
    let mut first = [0; 12];
    client.read_exact(&mut first)?;
    Ok(String::from_utf8_lossy(&first[9..]).into_owned())
}

#[test]
fn a_private_address_is_reached_only_under_a_name_that_a_person_gave_in_full() -> io::Result<()> {
    let named: Vec<Host> = "registry.example".parse().into_iter().collect();
    for (in_full, host, status) in [
        (Vec::new(), "registry.example", "403"),
        (named.clone(), "registry.example", "200"),
        (named, "a.below.example", "403"),
    ] {
        let scene = Cast { addresses: vec![OWN], in_full, ..Cast::default() }.start()?;
        assert_eq!(asked(&scene, host)?, status);
    }
    Ok(())
}

/// The proxy that the variables of this environment name.
fn proxy(variables: &[(&str, &str)]) -> Option<Arc<Proxy>> {
    let set = variables.iter().map(|(name, value)| (name.into(), value.into()));
    Proxy::of(&set.collect::<Vec<_>>()).map(Arc::new)
}

fn behind(world: World) -> World {
    let no = ("NO_PROXY", "localhost, .below.example");
    world.behind(proxy(&[("https_proxy", "http://me:w%6Frd@192.1.9.9:3128"), no]))
}

#[test]
fn a_proxy_of_the_users_machine_is_used_for_all_but_its_neighbours() -> io::Result<()> {
    for code in ["200", "407"] {
        let scene = Cast { change: behind, ..Cast::default() }.start()?;
        let server = scene.server.try_clone()?;
        let proxied = beside(move || {
            let (mut stream, _) = server.accept()?;
            let (mut head, mut byte) = (Vec::new(), [0; 1]);
            while !head.ends_with(b"\r\n\r\n") {
                stream.read_exact(&mut byte)?;
                head.push(byte[0]);
            }
            stream.write_all(format!("HTTP/1.1 {code} So\r\nx: y\r\n\r\n").as_bytes())?;
            Ok(String::from_utf8_lossy(&head).into_owned())
        });
        let status = if code == "200" { "200" } else { "502" };
        assert_eq!(asked(&scene, "registry.example")?, status);
        let head = proxied()?;
        assert!(head.starts_with("CONNECT registry.example:443 HTTP/1.1\r\n"), "{head}");
        assert!(head.contains("Proxy-Authorization: Basic bWU6d29yZA==\r\n"), "{head}");
        assert_eq!(asked(&scene, "a.below.example")?, "200");
        let ports: Vec<u16> = scene.has_dialled().iter().map(SocketAddr::port).collect();
        assert_eq!(ports, [3128, 443]);
    }
    Ok(())
}

#[test]
fn a_name_that_only_the_proxy_can_resolve_is_reached_if_a_rule_names_it() -> io::Result<()> {
    for (preset, host, dialled) in [
        (NetworkPreset::Registries, "registry.example", 1),
        (NetworkPreset::Open, "registry.example", 1),
        (NetworkPreset::Open, "other.example", 0),
    ] {
        let cast = Cast { preset, addresses: Vec::new(), change: behind, ..Cast::default() };
        let scene = cast.start()?;
        let server = scene.server.try_clone()?;
        thread::spawn(move || server.accept().map(drop));
        assert_eq!(asked(&scene, host)?, "502");
        assert_eq!(scene.has_dialled().len(), dialled, "{host}");
    }
    Ok(())
}

#[test]
fn only_a_plain_proxy_is_known() {
    assert!(proxy(&[("HTTPS_PROXY", "socks5://proxy.example:1080")]).is_none());
    assert!(proxy(&[("HTTPS_PROXY", "")]).is_none());
    assert!(proxy(&[("ALL_PROXY", "proxy.example:8080")]).is_some());
    assert!(proxy(&[("HTTPS_PROXY", "http://proxy.example:8080/")]).is_some());
}

#[test]
fn no_name_leads_to_this_machine_by_its_public_addresses() -> io::Result<()> {
    let own = IpAddr::V4(Ipv4Addr::new(192, 1, 7, 7));
    let change = |world: World| world.on_machine(IpAddr::V4(Ipv4Addr::new(192, 1, 7, 7)));
    let named: Vec<Host> = "registry.example".parse().into_iter().collect();
    let scene = Cast { addresses: vec![own], in_full: named, change, ..Cast::default() }.start()?;
    assert_eq!(asked(&scene, "registry.example")?, "403");
    assert!(scene.has_dialled().is_empty());
    Ok(())
}
