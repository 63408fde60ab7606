//! Which addresses a box may reach, whatever name led there. Checked after a name is resolved.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that no name leads to: first address, prefix length.
const NEVER_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::UNSPECIFIED, 8),
    // A cloud's metadata service in the middle of private networks.
    (Ipv4Addr::new(100, 100, 100, 200), 32),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // A cloud's metadata service at a public address.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    // This link, and most clouds' metadata services.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    // Multicast, reserved and broadcast.
    (Ipv4Addr::new(224, 0, 0, 0), 3),
];

/// IPv4 networks that an organisation may use for itself.
const OWN_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
];

/// Metadata services of clouds in the networks that organisations use for themselves.
const METADATA_V6: [Ipv6Addr; 2] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
];

/// Networks inside the global part of IPv6 (`2000::/3`) that are not the public internet.
const NOT_PUBLIC_V6: &[(Ipv6Addr, u32)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Whose an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// One host on the public internet.
    Anybody,
    /// A host of a network that an organisation uses for itself.
    Organisation,
    /// This machine, its link, a cloud's metadata service, or no single host.
    Nobody,
}

/// Whose an address is.
pub fn owner(address: IpAddr) -> Owner {
    match address {
        IpAddr::V4(address) => owner_v4(address),
        IpAddr::V6(address) => owner_v6(address),
    }
}

fn owner_v4(address: Ipv4Addr) -> Owner {
    let is_in = |(first, length): &(Ipv4Addr, u32)| {
        (address.to_bits() ^ first.to_bits()) >> (32 - length) == 0
    };
    match () {
        () if NEVER_V4.iter().any(is_in) => Owner::Nobody,
        () if OWN_V4.iter().any(is_in) => Owner::Organisation,
        () => Owner::Anybody,
    }
}

fn owner_v6(address: Ipv6Addr) -> Owner {
    // An IPv4 address in disguise: written into IPv6, or behind the translator of a network without IPv4.
    let is_translated = address.segments()[..6] == [0x64, 0xff9b, 0, 0, 0, 0];
    if is_translated || address.to_ipv4_mapped().is_some() {
        let [.., a, b, c, d] = address.octets();
        return owner_v4(Ipv4Addr::new(a, b, c, d));
    }
    let is_in = |(first, length): &(Ipv6Addr, u32)| {
        (address.to_bits() ^ first.to_bits()) >> (128 - length) == 0
    };
    let is_global = address.segments()[0] >> 13 == 1;
    match () {
        () if is_global && !NOT_PUBLIC_V6.iter().any(is_in) => Owner::Anybody,
        () if address.is_unique_local() && !METADATA_V6.contains(&address) => Owner::Organisation,
        () => Owner::Nobody,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_the_internet_is_out_of_reach() {
        for address in [
            "127.0.0.1",
            "127.255.255.255",
            "0.0.0.0",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.1.1",
            "169.254.169.254",
            "169.254.170.2",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "192.0.2.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "::ffff:127.0.0.1",
            "::ffff:10.1.2.3",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd12:3456::1",
            "fd00:ec2::254",
            "ff02::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "4000::1",
        ] {
            let is_public = address.parse().map(|it| owner(it) == Owner::Anybody);
            assert_eq!(is_public, Ok(false), "{address}");
        }
    }

    #[test]
    fn hosts_of_the_internet_are_within_reach() {
        for address in [
            "1.1.1.1",
            "100.63.255.255",
            "100.128.0.1",
            "168.63.129.17",
            "172.32.0.1",
            "192.0.1.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
        ] {
            assert_eq!(address.parse().map(owner), Ok(Owner::Anybody), "{address}");
        }
    }

    #[test]
    fn a_network_of_ones_own_is_neither_this_machine_nor_a_clouds_metadata() {
        for address in [
            "10.1.2.3",
            "100.64.0.1",
            "172.16.0.9",
            "192.168.7.7",
            "fd12:3456::1",
            "64:ff9b::a01:203",
        ] {
            assert_eq!(address.parse().map(owner), Ok(Owner::Organisation), "{address}");
        }
        for address in [
            "127.0.0.1",
            "0.0.0.0",
            "169.254.169.254",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "::1",
            "::ffff:127.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "fe80::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "ff02::1",
        ] {
            assert_eq!(address.parse().map(owner), Ok(Owner::Nobody), "{address}");
        }
    }
}
