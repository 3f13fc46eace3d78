"""Trees and signatures are those of the RFCs: their own vectors, and what two implementations say of one another."""

import random

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from audit.seals import Tree
from audit.verify_journal import consistent, leaf_hash, root_by_inclusion, roots_at, signed

# RFC 8032, 7.1: secret key, public key, message, signature (TEST 1, 2, 3 and SHA(abc)).
ED25519 = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe2465"
        "5141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d"
        "291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027"
        "beceea1ec40a",
    ),
    (
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9a"
        "c94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9be"
        "f1177331a704",
    ),
]
# The leaves of the reference implementation of RFC 6962, and the roots of the first 1 to 8 of them.
LEAVES = [
    bytes.fromhex(leaf)
    for leaf in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(("secret", "public", "message", "signature"), ED25519)
def test_the_signatures_of_rfc_8032_are_good_and_no_other(secret, public, message, signature):
    text = bytes.fromhex(message)
    assert Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret)).sign(text).hex() == signature
    assert signed(public, text, signature)
    assert not signed(public, text + b"x", signature)
    assert not signed(ED25519[0][1] if public != ED25519[0][1] else ED25519[1][1], text, signature)
    for at in (0, 31, 32, 63):
        changed = bytearray.fromhex(signature)
        changed[at] ^= 1
        assert not signed(public, text, changed.hex())


def test_a_signature_is_refused_in_its_second_form_and_where_it_is_none():
    _secret, public, message, signature = ED25519[1]
    order = 2**252 + 27742317777372353535851937790883648493
    factor = int.from_bytes(bytes.fromhex(signature[64:]), "little") + order
    assert not signed(public, bytes.fromhex(message), signature[:64] + factor.to_bytes(32, "little").hex())
    assert not signed(public, bytes.fromhex(message), signature[:-2])
    assert not signed(public, bytes.fromhex(message), "not hexadecimal")
    assert not signed("ff" * 32, bytes.fromhex(message), signature)


def test_the_roots_of_the_reference_trees():
    assert [Tree(LEAVES).root(size).hex() for size in range(9)] == [EMPTY, *ROOTS]
    assert {size: root.hex() for size, root in roots_at(LEAVES, range(9)).items()} == dict(enumerate([EMPTY, *ROOTS]))


def test_the_proofs_of_the_reference_trees():
    tree = Tree(LEAVES)
    assert [step.hex() for step in tree.inclusion(0, 8)] == [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ]
    assert [step.hex() for step in tree.inclusion(5, 8)] == [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]
    assert [step.hex() for step in tree.consistency(6, 8)] == [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]


def test_every_leaf_of_every_tree_up_to_forty_is_proven_and_no_other_leaf_place_or_size():
    leaves = [bytes([number]) for number in range(40)]
    tree = Tree(leaves)
    for size in range(1, 41):
        root = tree.root(size)
        for index in range(size):
            path = tree.inclusion(index, size)
            assert root_by_inclusion(leaves[index], index, size, path) == root
            assert root_by_inclusion(b"another", index, size, path) != root
            assert root_by_inclusion(leaves[index], index, size, [*path, root]) is None
            assert root_by_inclusion(leaves[index], (index + 1) % (size + 1), size, path) != root


def test_every_tree_up_to_forty_continues_every_smaller_one_and_none_that_was_changed():
    dice = random.Random(6962)
    leaves = [bytes([number]) for number in range(40)]
    tree = Tree(leaves)
    for second in range(2, 41):
        for first in range(1, second):
            path = tree.consistency(first, second)
            assert consistent(first, second, tree.root(first), tree.root(second), path)
            changed = list(leaves)
            changed[dice.randrange(first)] = b"changed"
            forged = Tree(changed)
            assert not consistent(
                first, second, tree.root(first), forged.root(second), forged.consistency(first, second)
            )
            assert not consistent(first, second, tree.root(first), tree.root(second), path[1:])
    assert consistent(7, 7, tree.root(7), tree.root(7), [])
    assert not consistent(0, 7, tree.root(0), tree.root(7), [])


def test_a_leaf_is_no_node():
    left, right = leaf_hash(b"a"), leaf_hash(b"b")
    assert Tree([b"a", b"b"]).root() != leaf_hash(left + right)
